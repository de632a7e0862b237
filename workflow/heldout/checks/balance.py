"""The check that the measure fits the balance of the classes."""

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed

ROUNDING = 1e-9
RARE = 0.05
"""H030 fails where all classes but the most frequent one have this share of the rows, or less."""


def measure_fits_imbalance(context: Context) -> Outcome:
    """H030: where one class is nearly everything, the share of errors hardly notices the others."""
    table, loss = context.loss_table.table, context.loss_table.loss
    if not table.classification:
        return not_applicable("the target is a number")
    if loss.name != "zero_one":
        return not_applicable("the loss is not the share of errors")
    names = table.classes or []
    counts = np.bincount(np.asarray(table.target), weights=table.weights, minlength=len(names))
    shares, main = counts / counts.sum(), int(counts.argmax())
    others = 1 - float(shares[main])
    text = f"{shares[main]:.1%} of the rows are of class '{names[main]}'"
    if table.weighted:
        text += ", by their weights"
    if others > RARE + ROUNDING:
        return passed(text)
    instead = (
        "loss: roc_auc, average_precision or balanced_accuracy, costs (loss: {costs: …}), or f1 with threshold: tune"
        if len(names) == 2
        else "loss: balanced_accuracy or f1_macro, or costs (loss: {costs: …})"
    )
    return failed(
        f"{text}: whoever always predicts it errs in {others:.1%} only, and the share of errors hardly notices the "
        f"rest. Use {instead}"
    )
