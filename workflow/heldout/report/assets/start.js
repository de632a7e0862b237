// Everything is in place: fill the page.

themeToggle(place("theme"));
for (const table of document.querySelectorAll("table.sortable")) makeSortable(table);
if (data) {
  startEstimates();
  startGrids();
  startMetrics();
  startFolds();
  startTime();
  startComparisons();
  startPredictions();
  startProbabilities();
  startPainting();
}
