"""What the config says about a task's table.

Standard library only: the workflow may import this while it is parsed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Request:
    """The table of a task: where it is, what its columns are for, and how much of it is sealed.

    Parameters
    ----------
    task, seed
        The name of the task and the root seed.
    data
        A file, `sklearn:NAME` or `oracle:NAME`.
    target
        The column to predict.
    drop, groups, fold_column, weights
        Columns that are no features: those never used, that of the groups, that of the user's own
        folds, and that of the rows' weights.
    missing
        Texts that mean missing, besides the usual ones.
    categories
        Columns that are categories whatever they look like.
    types
        By column what it is, whatever it looks like: a kind, its levels in order, or a spelling of dates.
    classification
        Whether the target is a class; None to find out.
    test
        The share of the units to seal, or a table of its own.
    stratify
        Whether classes are sealed in proportion.
    oracle
        The parameters of the oracle that the rows are drawn from, and how many `rows`.
    private
        Whether nobody else may read the sealed rows.

    Examples
    --------
    >>> request = Request("t", 19, "table.csv", "y", drop=["id"], groups="site")
    >>> request.feature_names(["id", "site", "a", "b", "y"])
    ['a', 'b']
    """

    task: str
    seed: int
    data: str
    target: str
    drop: Sequence[str] = ()
    groups: str | None = None
    fold_column: str | None = None
    weights: str | None = None
    missing: Sequence[str] = ()
    categories: Sequence[str] = ()
    classification: bool | None = None
    test: float | str = 0.2
    stratify: bool = True
    oracle: dict[str, Any] | None = None
    private: bool = True
    types: dict[str, str | list[str]] = field(default_factory=dict)

    def feature_names(self, columns: Iterable[str]) -> list[str]:
        """The columns that are features."""
        others = {self.target, self.groups, self.fold_column, self.weights, *self.drop}
        return [name for name in columns if name not in others]
