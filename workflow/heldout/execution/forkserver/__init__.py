"""Steps without their start-up: one process imports the libraries once and forks a child per step.

Importing scikit-learn takes longer than most steps. So a local run listens for steps, and starts
the server when the first one asks; a step sends it what to do and its output channels, waits, and
ends as the child ended. Where nobody listens (a cluster, another system than Linux, another number
of threads), or where nobody answers for a few seconds, a step runs by itself, and never twice: the
results are the same. Set to nothing, `HELDOUT_FORKSERVER=` lets every step run by itself.

The server ends with Snakemake. So does a step, with the Snakemake that started it: in a local run
with the main one, in a job of a cluster with the one of that job, and not with the main one.
"""
