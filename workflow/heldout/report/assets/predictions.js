// What the selected model said about rows that it had not seen.

function startPredictions() {}
