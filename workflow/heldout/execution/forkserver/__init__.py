"""Steps without their start-up: one process imports the libraries once and forks a child per step.

Importing scikit-learn takes longer than most steps. So a local run listens for steps, and starts
the server when the first one asks; a step sends it what to do and its output channels, waits, and
ends as the child ended. Where nobody listens (a cluster, another system than Linux, another number
of threads), or where nobody answers, a step runs by itself: the results are the same. Set to
nothing, `HELDOUT_FORKSERVER=` lets every step run by itself.

The server ends with Snakemake, and a child with the step that asked for it, however those end.
"""
