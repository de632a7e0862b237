"""Tables for checks, without the way through a file."""

from types import SimpleNamespace

import numpy as np

from heldout.resampling.kinds import FOLDS
from heldout.resampling.split import Partition


def bare_table(features, target, kinds=None, unit=None, times=None, source=None, weights=None):
    """What checks look at; a target of whole numbers has classes."""
    features, target = np.asarray(features, float), np.asarray(target)
    n, p = features.shape
    names = [f"x{i}" for i in range(p)]
    classes = target.dtype.kind in "ib"
    columns = [{"name": one, "kind": (kinds or {}).get(one, "number")} for one in names]
    return SimpleNamespace(
        features=features,
        target=target,
        names=names,
        n=n,
        classification=classes,
        classes=[f"class {i}" for i in range(int(target.max()) + 1)] if classes else None,
        rows={
            "unit": np.arange(n) if unit is None else unit,
            "source": np.arange(n) if source is None else source,
        },
        grouped=unit is not None,
        times=times,
        weights=weights,
        strings=None,
        facts={"schema": {"columns": columns}},
    )


def bare_context(table, learned=None, k=4):
    """The table, and what a learner predicts for each row when it is held out."""
    fold = np.random.default_rng(5).permutation(table.n) % k
    partition = Partition(1, k, fold)
    folds = {partition.set_name(i): partition.without(i) for i in range(k)}

    def predictions(_learner, _theta, resample):
        found = np.asarray(learned)[resample.held[resample.name]]
        return {resample.name: SimpleNamespace(label=found, value=found)}

    losses = SimpleNamespace(
        table=table,
        partitions=[partition],
        resamples={FOLDS: folds} if learned is not None else {},
        predictions=predictions,
    )
    return SimpleNamespace(loss_table=losses, selection={"learner": "one", "theta": {}})
