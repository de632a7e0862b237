"""`heldout.evaluate`: the estimates of the workflow for a table in memory."""

from typing import Any

from threadpoolctl import threadpool_limits

from heldout.errors import HeldoutError
from heldout.execution.specs import build
from heldout.memory.evaluation import Evaluation
from heldout.memory.fitting import fit_all
from heldout.memory.given import declared
from heldout.memory.progress import line_for
from heldout.memory.table import FRAME, is_source, prepared_table
from heldout.memory.tables import tables_of


def evaluate(
    data: Any,
    target: str,
    learners: Any,
    *,
    name: str = "task",
    cores: int = 1,
    progress: bool | None = None,
    **keys: Any,
) -> Evaluation:
    """Estimate how well learners, and the choice between them, do on data they have not seen.

    The numbers are those of the workflow with `test: 0`: nothing is sealed, so there is no sealed test. No file
    stays behind.

    Parameters
    ----------
    data
        A DataFrame, an Arrow table, a mapping from names to columns; a path; or `sklearn:NAME`.
    target
        The column to predict.
    learners
        Short names (`"knn"`), blocks of a config (`{"estimator": "knn", "grid": {…}}`) and scikit-learn estimators,
        Pipelines among them, in any mixture; an estimator with a grid is `{"estimator": estimator, "grid": {…}}`.
        Or a mapping from names to these.
    name
        The name of the task. Seeds are derived from it, and from the names of the learners.
    cores
        How many processes share the fits. The results do not depend on it.
    progress
        Whether to show a line of progress; None: on a terminal and in a notebook.
    **keys
        Any key of a task in the config (`loss`, `metrics`, `groups`, `weights`, `kfold`, `estimators`, `select`,
        `types`, …), `seed` and `level`.

    Returns
    -------
    Evaluation
        Tables, the selection, the final model; printed, the answer.

    Raises
    ------
    HeldoutError
        As in the workflow: what is wrong, where, and what to do.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> frame = load_iris(as_frame=True).frame
    >>> result = evaluate(frame, "target", ["knn", GaussianNB()], loss="zero_one", kfold={"k": 3})
    >>> result.selection["learner"]
    'knn'
    >>> result.model.predict(frame[:2]).tolist()
    [0, 0]
    """
    if isinstance(cores, bool) or not isinstance(cores, int) or cores < 1:
        raise HeldoutError(f"cores: expected a whole number from 1 on, found {cores!r}")
    source = str(data) if is_source(data) else FRAME
    task = declared(name, source, target, learners, keys)
    line = line_for(name, progress)
    try:
        with threadpool_limits(1):  # as in the workflow; several threads add in another order
            table = prepared_table(build.prepare_data(task), data)
            fitted = fit_all(task, table, cores, line)
            return Evaluation(name, task.learners, tables_of(task, fitted))
    finally:
        line.end()
