"""Steps without their start-up: one process imports the libraries once and forks a child per step.

Importing scikit-learn takes longer than most steps. So a local run starts a warm process beside
Snakemake; a step sends it what to do and its output channels, waits, and ends as the child ended.
Where there is none (a cluster, another system than Linux, another number of threads), or where it
does not answer, a step runs by itself: the results are the same.

The warm process ends with Snakemake, and a child with the step that asked for it, however those end.
"""
