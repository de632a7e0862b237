# Everything → report.html for each task, and an index.
