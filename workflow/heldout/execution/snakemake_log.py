"""What Snakemake prints, read: which jobs run, which of them failed and why, and what a dry run would do.

It is meant for people, and its form changes between versions. Where nothing is recognised, the last
lines are shown as they are.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

TAIL = 20
"""Lines of a log that are shown."""
_JOB = re.compile(r"^(?:local)?rule (\w+):\n((?: .*\n)+)", re.M)
_END = re.compile(r"^(?:Finished jobid: |Finished job )(\d+)", re.M)
_FAILED = re.compile(r"^Error in rule (\w+)(?:, jobid: \d+)?:\n((?: .*\n)+)", re.M)
_REASONS = re.compile(
    r"^Building DAG of jobs\.\.\.\n(.*?)(?=^Using shell:|^Job stats:|\Z)", re.M | re.S
)
_STATS = re.compile(r"^Job stats:\njob +count\n[- ]+\n((?:\w+ +\d+\n)+)", re.M)
_USAGE = re.compile(r"^\S+: error: (.*)", re.M)
"""What follows the list of all options."""
_FOLLOWS = "runs, whose files it reads"
"""How the planner's reason ends for a job that is due because another one is."""
_TRACE = re.compile(r'^  File ".*", line \d+, in ')
_HEADER = re.compile(r"^SNAKEMAKE\n=+\n(?: .*\n)*", re.M)
"""Versions, folders and a command line, which some errors begin with."""
_IDLE = re.compile(
    r"^(Using (?:profile|workflow specific profile)|Assuming unrestricted shared|host:|Building DAG|Shutting down|"
    r"Exiting because|Complete log|Elapsed time|At least one job did not|WorkflowError:$|RuleException:$)"
)


def _field(block: str, name: str) -> str:
    found = re.search(rf"^ +{name}: (.*)$", block, re.M)
    return found[1] if found else ""


def _wildcard(block: str, name: str) -> str:
    found = re.search(rf"\b{name}=([^,\s]+)", _field(block, "wildcards"))
    return found[1] if found else ""


def running(text: str) -> dict[str, list[str]]:
    """The rules of the jobs that have begun and not ended.

    Parameters
    ----------
    text
        What Snakemake has printed so far.

    Returns
    -------
    dict
        Rules by task, each named once; those of no task under an empty name.

    Examples
    --------
    >>> running("rule fit_cells:\\n    jobid: 4\\n    wildcards: task=iris, batch=1\\n")
    {'iris': ['fit_cells']}
    >>> running("rule fit_cells:\\n    jobid: 4\\n    wildcards: task=iris\\nFinished jobid: 4 (Rule: fit_cells)\\n")
    {}
    """
    ended = set(_END.findall(text))
    found: dict[str, list[str]] = {}
    for rule, block in _JOB.findall(text):
        if _field(block, "jobid") not in ended:
            rules = found.setdefault(_wildcard(block, "task"), [])
            rules += [rule] if rule not in rules else []
    return found


def finished(text: str, rule: str) -> list[str]:
    """The tasks for which a rule has ended.

    Parameters
    ----------
    text
        What Snakemake has printed so far.
    rule
        The name of a rule.

    Returns
    -------
    list of str
        Names of tasks.

    Examples
    --------
    >>> finished("rule a:\\n    jobid: 4\\n    wildcards: task=iris\\nFinished job 4.\\n", "a")
    ['iris']
    """
    ended = set(_END.findall(text))
    return [
        _wildcard(block, "task")
        for name, block in _JOB.findall(text)
        if name == rule and _field(block, "jobid") in ended
    ]


def tasks(text: str) -> list[str]:
    """The tasks of which a job has begun.

    Parameters
    ----------
    text
        What Snakemake has printed so far.

    Returns
    -------
    list of str
        Names of tasks, each once.

    Examples
    --------
    >>> tasks("rule a:\\n    jobid: 4\\n    wildcards: task=iris\\n")
    ['iris']
    """
    names = (_wildcard(block, "task") for _, block in _JOB.findall(text))
    return list(dict.fromkeys(name for name in names if name))


def failures(text: str) -> str:
    """What went wrong: the end of the log of each failed job, else the last lines of Snakemake's own.

    Parameters
    ----------
    text
        All that Snakemake has printed.

    Returns
    -------
    str
        Lines for a terminal.

    Examples
    --------
    >>> failures("Building DAG of jobs...\\nMissingInputException in rule a:\\nno file b\\n")
    'MissingInputException in rule a:\\nno file b'
    """
    usage = _USAGE.search(text)
    if usage:
        return usage[1]
    parts = list(dict.fromkeys(_failed_jobs(text)))
    return "\n".join(parts) if parts else "\n".join(_telling_lines(text)[-TAIL:])


def said(text: str) -> str:
    """What Snakemake said beside what every run prints.

    Parameters
    ----------
    text
        All that Snakemake has printed.

    Returns
    -------
    str
        Lines for a terminal.

    Examples
    --------
    >>> said("Building DAG of jobs...\\nCreating report...\\nReport created.\\n")
    'Creating report...\\nReport created.'
    """
    return "\n".join(_telling_lines(text))


def _failed_jobs(text: str) -> Iterator[str]:
    """What each failed job said; where parts of one step said the same, the first of them."""
    known = set()
    for rule, block in _FAILED.findall(text):
        log = _field(block, "log").split(" (check log")[0]
        lines = _read_lines(Path(log)) if log else []
        if not lines:
            yield f"{rule} failed:\n{block.rstrip()}"
        elif (rule, *lines) not in known:
            known.add((rule, *lines))
            yield "\n".join([f"{rule} failed ({log}):", *(f"  {line}" for line in lines[-TAIL:])])


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _telling_lines(text: str) -> list[str]:
    """All but what every run prints, and the places in Snakemake's and heldout's code."""
    return [
        line
        for line in _HEADER.sub("", text).splitlines()
        if line.strip() and not (_IDLE.match(line) or _TRACE.match(line))
    ]


def planned(text: str) -> str:
    """What a dry run would do: why, and how many jobs of each rule.

    Parameters
    ----------
    text
        What Snakemake printed.

    Returns
    -------
    str
        A line per reason, then one that counts jobs.

    Examples
    --------
    >>> text = "Building DAG of jobs...\\niris: not made yet\\nJob stats:\\njob   count\\n----  -----\\na  2\\ntotal  2\\n"
    >>> print(planned(text))
    iris: not made yet
    2 jobs: 2 a
    >>> planned("Building DAG of jobs...\\nNothing to be done.\\n")
    'nothing to be done'
    """
    if "\nNothing to be done" in text:
        return "nothing to be done"
    reasons = _REASONS.search(text)
    jobs = _job_counts(text)
    if not reasons or not jobs:
        return said(text)
    counts = ", ".join(f"{count} {rule}" for rule, count in jobs.items())
    return "\n".join([*_grouped(reasons[1]), f"{jobs.total()} jobs: {counts}"])


def _grouped(reasons: str) -> Iterator[str]:
    """A line for each reason of a task, without jobs that only follow from others."""
    groups: Counter[str] = Counter()
    for line in reasons.splitlines():
        title, _, reason = line.partition(": ")
        if not reason.split(" (and ")[0].endswith(_FOLLOWS):
            groups[f"{title.split()[0]}: {reason}" if reason else title] += 1
    for text, jobs in groups.items():
        yield f"{text} ({jobs} jobs)" if jobs > 1 else text


def _job_counts(text: str) -> Counter[str]:
    """Jobs by rule, without Snakemake's own target, which runs nothing."""
    stats = _STATS.search(text)
    rows = (line.split() for line in stats[1].splitlines()) if stats else ()
    return Counter({rule: int(count) for rule, count in rows if rule not in ("all", "total")})
