"""The first step of every learner's Pipeline, fitted on training rows only.

Numbers: missing values are replaced by the median, and a column that has some gets an indicator
column; then, where the learner needs it, everything is standardised. Categories: one column per
level seen in training (missing is a level); of `max_levels` or more, the rarest share one column.
A level that training did not see counts as a rare one; without rare levels its columns are all 0. Dates: their
parts, which are numbers, with one indicator for each date that is missing somewhere. Categories with many
levels: the level's count, a number, and the indicators of its bucket (`encodings`).

The columns come in this order: numbers, indicators of missing ones, parts of dates, their indicators, counts;
then one-hot columns and buckets, which are not scaled. With `native`, for a model that knows missing values and
categories: numbers, codes of categories, parts of dates, counts and buckets, as they are.

This equals scikit-learn's SimpleImputer, StandardScaler and OneHotEncoder in a ColumnTransformer,
to the last bit, and takes a twentieth of their nine milliseconds, which are more than most fits take.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.numerics.encodings import (
    buckets_of,
    counts_of,
    date_parts,
    has_times,
    level_counts,
    with_missing,
)

RARE = -1.0
"""Marks the column that the rarest levels share."""
BLOCK = 2**22
"""Numbers of a block of columns, 32 MB: so much is in memory besides the matrix and the result."""
NEAR = 2**15
"""Numbers that stay in the processor's cache; where there are few rows, no block has more."""
LINE = 8
"""Numbers that are read from memory at once."""


class Preprocessor(BaseEstimator):
    """Imputes, adds indicators, scales and one-hot encodes a matrix of numbers and category codes.

    Parameters
    ----------
    numbers, categories
        Positions of the columns with numbers and with category codes. Other columns are dropped.
    scale
        Whether numbers and indicators are standardised.
    max_levels
        The largest number of columns that a category becomes.
    dates, many
        Positions of the columns with dates, and with numbers for the levels of categories with many.
    native
        Whether the model itself knows missing values and categories.
    """

    # Here too: models of earlier versions were stored without them.
    dates: Sequence[int] = ()
    many: Sequence[int] = ()
    native: bool = False

    def __init__(
        self,
        numbers: Sequence[int] = (),
        categories: Sequence[int] = (),
        scale: bool = False,
        max_levels: int = 100,
        dates: Sequence[int] = (),
        many: Sequence[int] = (),
        native: bool = False,
    ):
        self.numbers = numbers
        self.categories = categories
        self.scale = scale
        self.max_levels = max_levels
        self.dates = dates
        self.many = many
        self.native = native

    def fit(
        self, features: np.ndarray, target: Any = None, sample_weight: np.ndarray | None = None
    ) -> "Preprocessor":
        """Learn medians, scales and levels."""
        self.fit_transform(features, target, sample_weight)
        return self

    def fit_transform(
        self, features: np.ndarray, target: Any = None, sample_weight: np.ndarray | None = None
    ) -> np.ndarray:
        """Learn medians, scales and levels from the rows, and transform them.

        Weights count in the scales only, as in scikit-learn.
        """
        self.hours_ = [has_times(features[:, column]) for column in self.dates]
        self.counts_ = [level_counts(features[:, column]) for column in self.many]
        if self.native:
            return self._as_they_are(features)
        numbers = self._numbers(features)
        missing = np.isnan(numbers)
        self.incomplete_ = np.flatnonzero(missing.any(axis=0))
        self.medians_ = _medians(numbers, missing)
        filled = self._fill(numbers, missing)
        if self.scale:
            self.means_, self.scales_ = _means_and_scales(filled, sample_weight)
            filled = _scaled(filled, self.means_, self.scales_)
        if self.dates or self.many:
            filled = np.hstack([filled, self._learn_further(features, sample_weight)])
        self.levels_ = [self._levels(features[:, column]) for column in self.categories]
        return self._with_categories(filled, features)

    def transform(self, features: np.ndarray) -> np.ndarray:
        """Transform any rows with what was learned from the training rows."""
        if self.native:
            return self._as_they_are(features)
        numbers = self._numbers(features)
        filled = self._fill(numbers, np.isnan(numbers))
        if self.scale:
            filled = _scaled(filled, self.means_, self.scales_)
        if self.dates or self.many:
            further = self._further(features)
            if self.scale:
                further = (further - self.further_means_) / self.further_scales_
            filled = np.hstack([filled, further])
        return self._with_categories(filled, features)

    @property
    def only_numbers(self) -> bool:
        """Whether rows stay as they are, but for columns that are left out: nothing is learned from them."""
        return self.native and not (self.categories or self.dates or self.many)

    def _numbers(self, features: np.ndarray) -> np.ndarray:
        """The columns with numbers, row by row in memory; a copy where they are returned unscaled."""
        columns = list(self.numbers)
        if self.scale and columns == [*range(features.shape[1])]:
            return np.ascontiguousarray(features)
        return np.take(features, columns, axis=1)

    def _as_they_are(self, features: np.ndarray) -> np.ndarray:
        """Numbers, codes of categories, parts of dates, counts and buckets; no copy where that is all there is."""
        columns = [*self.numbers, *self.categories]
        further = [
            *self._date_parts(features),
            *self._counts(features),
            *self._buckets(features),
        ]
        if not further and columns == [*range(features.shape[1])]:
            return np.ascontiguousarray(features)
        return np.ascontiguousarray(np.hstack([features[:, columns], *further]))

    def _learn_further(self, features: np.ndarray, sample_weight: np.ndarray | None) -> np.ndarray:
        """Learn the medians and scales of what dates and categories with many levels become."""
        parts = self._date_parts(features)
        self.date_medians_ = [_medians(part, np.isnan(part)) for part in parts]
        missing = [np.isnan(features[:, column]).any() for column in self.dates]
        self.incomplete_dates_ = [c for c, some in zip(self.dates, missing, strict=True) if some]
        further = self._further(features)
        if self.scale:
            self.further_means_, self.further_scales_ = _means_and_scales(further, sample_weight)
            further = (further - self.further_means_) / self.further_scales_
        return further

    def _further(self, features: np.ndarray) -> np.ndarray:
        """Parts of dates without gaps, indicators of missing dates, and counts of levels."""
        filled = [
            np.where(np.isnan(part), medians, part)
            for part, medians in zip(self._date_parts(features), self.date_medians_, strict=True)
        ]
        absent = np.isnan(features[:, list(self.incomplete_dates_)]).astype(np.float64)
        return np.hstack([*filled, absent, *self._counts(features)])

    def _date_parts(self, features: np.ndarray) -> list[np.ndarray]:
        return [
            date_parts(features[:, column], hours)
            for column, hours in zip(self.dates, self.hours_, strict=True)
        ]

    def _counts(self, features: np.ndarray) -> list[np.ndarray]:
        return [
            counts_of(features[:, column], known)[:, None]
            for column, known in zip(self.many, self.counts_, strict=True)
        ]

    def _buckets(self, features: np.ndarray) -> list[np.ndarray]:
        return [buckets_of(features[:, column]) for column in self.many]

    def _fill(self, numbers: np.ndarray, missing: np.ndarray) -> np.ndarray:
        if not missing.any() and not len(self.incomplete_):
            return numbers
        filled = np.where(missing, self.medians_, numbers)
        # In Fortran order, as in scikit-learn: sums over rows are then rounded in the same way.
        return np.hstack(
            [np.asfortranarray(filled), np.asfortranarray(missing[:, self.incomplete_])]
        )

    def _levels(self, column: np.ndarray) -> np.ndarray:
        """The levels that get a column, and RARE last if some share one."""
        levels, counts = np.unique(with_missing(column), return_counts=True)
        if len(levels) < self.max_levels:
            return levels
        kept = np.argsort(counts, kind="stable")[len(levels) - self.max_levels + 1 :]
        return np.append(np.sort(levels[kept]), RARE)

    def _with_categories(self, numbers: np.ndarray, features: np.ndarray) -> np.ndarray:
        parts = [numbers]
        for column, levels in zip(self.categories, self.levels_, strict=True):
            codes = with_missing(features[:, column])
            indicators = codes[:, None] == levels
            if levels[-1] == RARE:
                indicators[:, -1] = ~indicators.any(axis=1)
            parts.append(indicators.astype(float))
        parts += self._buckets(features)
        return np.hstack(parts) if len(parts) > 1 else numbers


def _medians(numbers: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """The median of each column's values; 0 for a column without any."""
    medians = np.empty(numbers.shape[1])
    counts = len(numbers) - np.count_nonzero(missing, axis=0)
    low, high = np.maximum(counts - 1, 0) // 2, counts // 2
    for block in _blocks(numbers):
        # By columns in memory, sorting takes a tenth of the time of numpy's median. NaN comes last.
        ordered = np.array(numbers[:, block].T, order="C")
        ordered.sort(axis=1)
        columns = np.arange(len(ordered))
        medians[block] = ordered[columns, low[block]]
        even = low[block] < high[block]
        upper = ordered[columns[even], high[block][even]]
        medians[block][even] = (medians[block][even] + upper) / 2
    medians[counts == 0] = 0.0
    return medians


def _means_and_scales(
    filled: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """As StandardScaler computes them; the scale of a constant column is 1."""
    count, total = len(filled), float(len(filled)) if weights is None else weights.sum()
    means = _sums(filled, weights) / total
    variances = np.empty(len(means))
    for block in _blocks(filled) if weights is None else [slice(None)]:
        centred = filled[:, block] - means[block]
        correction = _sums(centred, weights)
        variances[block] = (_sums(centred**2, weights) - correction**2 / total) / total
    eps = np.finfo(np.float64).eps
    constant = variances <= count * eps * variances + (count * means * eps) ** 2
    scales = np.sqrt(variances)
    scales[constant | (scales == 0)] = 1.0
    return means, scales


def _scaled(filled: np.ndarray, means: np.ndarray, scales: np.ndarray) -> np.ndarray:
    centred = filled - means
    centred /= scales
    return centred


def _blocks(matrix: np.ndarray) -> Iterator[slice]:
    """Blocks of columns, none of a single one: numpy sums that in another order."""
    rows, columns = matrix.shape
    width = max(2, NEAR // max(1, rows), min(LINE, BLOCK // max(1, rows)))
    starts = [*range(0, max(1, columns - 1), width)]
    return (slice(*ends) for ends in zip(starts, [*starts[1:], columns], strict=True))


def _sums(columns: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    return columns.sum(axis=0) if weights is None else weights @ columns
