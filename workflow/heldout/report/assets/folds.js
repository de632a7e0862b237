// Metrics, outer folds and comparisons: tables that a task may or may not have.

function plainColumns(name) {
  const rows = unpack(name);
  return data.tables[name].columns.map((key) => {
    const number = rows.every((row) => row[key] === null || isNumber(row[key]));
    const show = key === "theta" ? (theta) => (theta ? showTheta(theta) : ABSENT) : undefined;
    return { key, title: key.replaceAll("_", " "), number, show };
  });
}

function isSelected(row) {
  const own = data.selection.learners[row.learner];
  return own !== undefined && showTheta(own.theta) === showTheta(row.theta);
}

function startMetrics() {
  const holder = place("all-metrics");
  if (!holder) return;
  const rows = unpack("metrics");
  const build = () => buildTable(plainColumns("metrics"), rows, { name: `${data.task}-metrics`, marked: isSelected });
  holder.append(lazyTable("Every θ", build));
}

function startFolds() {}

function startComparisons() {
  const holder = place("all-comparisons");
  if (!holder) return;
  holder.append(buildTable(plainColumns("comparisons"), unpack("comparisons"), { name: `${data.task}-comparisons` }));
}
