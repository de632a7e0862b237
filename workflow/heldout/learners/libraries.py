"""Libraries besides scikit-learn: their short names, which package brings them, and what they need.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass, field
from typing import Any

from heldout.errors import HeldoutError
from heldout.learners.catalogue import Entry
from heldout.user_code.source import estimator_source


@dataclass(frozen=True)
class Library:
    """What heldout knows of a library.

    Parameters
    ----------
    install
        What `pip install` takes.
    params
        Parameters that its estimators get where the user sets neither them nor an alias: one thread a
        fit, since jobs run side by side, the same numbers in every run, and no print-outs.
    aliases
        Other names of these parameters.
    """

    install: str
    params: dict[str, Any] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)


LIBRARIES: dict[str, Library] = {
    "lightgbm": Library(
        "'heldout[boosting]' (or lightgbm)",
        {"n_jobs": 1, "verbose": -1, "deterministic": True, "force_col_wise": True},
        {
            "n_jobs": ("num_threads", "num_thread", "nthread", "nthreads"),
            "verbose": ("verbosity",),
            "force_col_wise": ("force_row_wise",),
        },
    ),
    "xgboost": Library(
        "'heldout[boosting]' (or xgboost)",
        {"n_jobs": 1, "enable_categorical": True},
        {"n_jobs": ("nthread",)},
    ),
    "catboost": Library(
        "'heldout[boosting]' (or catboost)",
        {"thread_count": 1, "allow_writing_files": False, "verbose": False},
        {"verbose": ("silent", "logging_level", "verbose_eval")},
    ),
    "imblearn": Library("'heldout[imbalance]' (or imbalanced-learn)"),
    "sklearnex": Library("scikit-learn-intelex", {"n_jobs": 1}),
}
"""Libraries by the name of their package."""
SIMPLER = {"n_estimators": "smaller"}
SHORT: dict[str, Entry] = {
    "lightgbm": Entry(
        "lightgbm.LGBMClassifier",
        "lightgbm.LGBMRegressor",
        grid={"n_estimators": [25, 50, 100, 200]},
        simpler=SIMPLER,
    ),
    "xgboost": Entry(
        "xgboost.XGBClassifier",
        "xgboost.XGBRegressor",
        grid={"n_estimators": [25, 50, 100, 200]},
        simpler=SIMPLER,
    ),
    "catboost": Entry(
        "catboost.CatBoostClassifier",
        "catboost.CatBoostRegressor",
        grid={"iterations": [50, 100, 200, 400]},
        simpler={"iterations": "smaller"},
    ),
}
"""Short names of learners that other libraries bring."""


def library_params(path: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """What an estimator of a library gets besides what the user gives.

    Parameters
    ----------
    path
        The import path of the estimator.
    given
        The parameters that the user sets, by params or grid.

    Returns
    -------
    dict
        Nothing for scikit-learn's own estimators, and for classes that heldout does not know.

    Examples
    --------
    >>> library_params("xgboost.XGBRegressor", {"nthread": 2})
    {'enable_categorical': True}
    """
    top = (path or "").replace(":", ".").partition(".")[0]
    if top not in LIBRARIES:
        return {}
    library = LIBRARIES[top]
    return {
        name: value
        for name, value in library.params.items()
        if not {name, *library.aliases.get(name, ())} & set(given)
    }


def source_of(path: str, where: str) -> str:
    """What identifies the code of an estimator or step, see `estimator_source`.

    Parameters
    ----------
    path
        Its import path.
    where
        The key of the config that an error message names.

    Returns
    -------
    str
        Empty for scikit-learn.

    Raises
    ------
    HeldoutError
        If there is no such module; of a library that heldout knows, what to install.

    Examples
    --------
    >>> source_of("sklearn.svm.SVC", "learners.svm.estimator")
    ''
    """
    try:
        return estimator_source(path, where)
    except HeldoutError as error:
        top = path.replace(":", ".").partition(".")[0]
        if top not in LIBRARIES:
            raise
        told = f"{where}: {path} needs the package {top}, which is not installed here"
        raise HeldoutError(f"{told}: pip install {LIBRARIES[top].install}") from error
