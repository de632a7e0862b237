"""A workload with its peers in one run: seconds, what else is bounded, and whether all find the same."""

from collections.abc import Iterator
from dataclasses import replace
from statistics import median
from typing import Any

from alone import ratio_of_fits, seconds_in_memory
from goals import DISK, FILES, FITS, IN_MEMORY, PEAK, PEAK_OF_ROWS, SECONDS, Goal
from peers import Found, Loop
from timing import agreement, folds_of, fresh_folder, on_disk, peak_of_workflow, run_workflow


def judge(goal: Goal, repeats: int) -> dict[str, Any]:
    """heldout and the peers in turns; medians, and the agreement of the last turn."""
    missing = {peer.name: peer.missing() for peer in goal.peers}
    peers = [peer for peer in goal.peers if missing[peer.name] is None]
    ours: list[float] = []
    theirs: dict[str, list[float]] = {peer.name: [] for peer in peers}
    agreements = {}
    features, target = goal.table.draw()
    for _ in range(repeats):
        folder = fresh_folder()
        goal.table.write(folder)
        ours.append(run_workflow(folder, goal.config()))
        for peer in peers:
            fold = folds_of(folder, goal.name)
            found: Found = peer.run(features, target, fold, goal.loss)
            theirs[peer.name].append(found.seconds)
            agreements[peer.name] = agreement(folder, goal.name, found)
    files, disk = on_disk(folder)
    measured = {SECONDS: median(ours), FILES: files, DISK: disk}
    measured |= dict(_without_snakemake(goal, repeats)) | dict(_peaks(goal))
    ratios = {name: median(ours) / median(seconds) for name, seconds in theirs.items()}
    return {
        "what": goal.what,
        "heldout": {name: _rounded(value) for name, value in measured.items()},
        "peers": {
            peer.name: {
                "seconds": _rounded(median(theirs[peer.name])),
                "ratio": _rounded(ratios[peer.name]),
                **agreements[peer.name],
                "may differ by": peer.within,
            }
            for peer in peers
        },
        "left out": {name: f"needs {what}" for name, what in missing.items() if what},
        "at most": goal.at_most,
        "met": {
            name: (measured | ratios)[name] <= bound
            for name, bound in goal.at_most.items()
            if name in measured | ratios
        },
    }


def _without_snakemake(goal: Goal, repeats: int) -> Iterator[tuple[str, float]]:
    if goal.in_memory:
        yield IN_MEMORY, median(seconds_in_memory(goal) for _ in range(repeats))
    if FITS in goal.at_most:
        loop = next(peer for peer in goal.peers if isinstance(peer, Loop))
        yield FITS, ratio_of_fits(goal, loop)


def _peaks(goal: Goal) -> Iterator[tuple[str, float]]:
    """The peak memory of a run of its own, where it is bounded."""
    if not {PEAK, PEAK_OF_ROWS} & set(goal.at_most):
        return
    peak = _peak(goal)
    yield PEAK, peak
    if PEAK_OF_ROWS in goal.at_most:
        yield PEAK_OF_ROWS, peak - _peak(replace(goal, table=goal.table.of_few_rows()))


def _peak(goal: Goal) -> float:
    folder = fresh_folder()
    goal.table.write(folder)
    return peak_of_workflow(folder, goal.config())


def _rounded(value: float) -> float:
    return float(f"{value:.3g}") if value < 1000 else round(value)


def goals_table(found: dict[str, dict[str, Any]]) -> str:
    """A row for each bound, and for each peer without one, in Markdown."""
    lines = ["| workload | bound | goal | measured | |", "|---|---|---|---|---|"]
    for name, one in found.items():
        alone = [IN_MEMORY] if IN_MEMORY in one["heldout"] else []
        for bound in dict.fromkeys([*one["at most"], *one["peers"], *one["left out"], *alone]):
            lines.append(f"| {one['what']} (`{name}`) | {_row(one, bound)} |")
    return "\n".join(lines)


def _row(one: dict[str, Any], bound: str) -> str:
    goal = f"≤ {one['at most'][bound]:g}" if bound in one["at most"] else "–"
    if bound in one["left out"]:
        return f"seconds over {bound}'s | {goal} | – | {one['left out'][bound]}"
    bold = "**" if one["met"].get(bound) else ""
    if bound == IN_MEMORY:
        against = " and ".join(f"{peer['seconds']:g} s" for peer in one["peers"].values())
        return f"{bound} | – | {one['heldout'][bound]:g} | against {against}"
    if bound not in one["peers"]:
        return f"{bound} | {goal} | {bold}{one['heldout'][bound]:g}{bold} |"
    peer = one["peers"][bound]
    seconds = f"{one['heldout'][SECONDS]:g} s against {peer['seconds']:g} s"
    return f"seconds over {bound}'s | {goal} | {bold}{peer['ratio']:g}{bold} | {seconds}"


def disagreements(found: dict[str, dict[str, Any]]) -> list[str]:
    """The peers that chose another θ, or whose errors are farther away than their solver explains."""
    return [
        f"{name}, {peer}: {said['same θ']} of {said['outer folds']} outer folds chose the same θ, "
        f"errors differ by up to {said['largest difference']:.3g}, {said['may differ by']:g} allowed"
        for name, one in found.items()
        for peer, said in one["peers"].items()
        if said["may differ by"] is not None
        and (
            said["same θ"] < said["outer folds"]
            or said["largest difference"] > said["may differ by"]
        )
    ]
