"""The oracles by name."""

from typing import Any

from heldout.data.classification_oracles import (
    Categories,
    GaussianClasses,
    Mixture,
    Noise,
    SparseLogistic,
    TwoGaussians,
    TwoMoons,
)
from heldout.data.grouped_oracles import GroupedClasses, GroupedLinear
from heldout.data.oracle import Oracle
from heldout.data.regression_oracles import Friedman, GaussianLinear, Polynomial

ORACLES: dict[str, type[Oracle]] = {
    "gaussian_linear": GaussianLinear,
    "polynomial": Polynomial,
    "friedman": Friedman,
    "grouped_linear": GroupedLinear,
    "two_gaussians": TwoGaussians,
    "gaussian_classes": GaussianClasses,
    "mixture": Mixture,
    "two_moons": TwoMoons,
    "noise": Noise,
    "sparse_logistic": SparseLogistic,
    "categories": Categories,
    "grouped_classes": GroupedClasses,
}


def oracle_of(name: str, params: dict[str, Any]) -> Oracle:
    """Make an oracle.

    Parameters
    ----------
    name
        Its name in the catalogue, without `oracle:`.
    params
        All its parameters; `heldout.data.oracle_catalogue.parameters` fills in the defaults.

    Returns
    -------
    Oracle
        The distribution.

    Examples
    --------
    >>> oracle = oracle_of("noise", {"features": 3, "share": 0.5})
    >>> oracle.features, oracle.classes
    (3, ['no', 'yes'])
    """
    return ORACLES[name](params)


def feature_names(oracle: Oracle) -> list[str]:
    """Name the features of an oracle.

    Parameters
    ----------
    oracle
        The oracle.

    Returns
    -------
    list of str
        x1, x2, …

    Examples
    --------
    >>> feature_names(oracle_of("noise", {"features": 2, "share": 0.5}))
    ['x1', 'x2']
    """
    return [f"x{i + 1}" for i in range(oracle.features)]
