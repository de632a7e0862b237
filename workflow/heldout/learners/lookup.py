"""What a short name or an import path of a learner means, in the catalogue and beyond it."""

from heldout.learners.catalogue import CATALOG, Entry
from heldout.learners.catalogue import entry_for as of_catalogue
from heldout.learners.libraries import LIBRARIES, SHORT


def entry_for(estimator: str, where: str) -> Entry:
    """The entry of a short name, also of learners that other libraries bring.

    Parameters
    ----------
    estimator
        A short name or an import path.
    where
        The key of the config that an error message names.

    Returns
    -------
    Entry
        For an import path, an entry without defaults.

    Examples
    --------
    >>> entry_for("lightgbm", "learners.mine").regressor
    'lightgbm.LGBMRegressor'
    """
    if estimator in SHORT:
        return SHORT[estimator]
    known = estimator.partition(":")[0].partition(".")[0] in {"sklearn", *LIBRARIES}
    return of_catalogue(estimator.replace(":", ".") if known else estimator, where)


def short_names() -> list[str]:
    """All short names of learners.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> "knn" in short_names(), "catboost" in short_names()
    (True, True)
    """
    return sorted([*CATALOG, *SHORT])
