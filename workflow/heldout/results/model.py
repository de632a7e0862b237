"""Final models, loaded from their files."""

from pathlib import Path
from typing import TYPE_CHECKING

from heldout.errors import HeldoutError
from heldout.user_code.search import look_in_study_folder

if TYPE_CHECKING:
    from heldout.selection.final import Predictor


def load_model(file: Path) -> "Predictor":
    """Load a final model. It is a pickle: open only those of people whom you trust.

    Parameters
    ----------
    file
        `results/TASK/final/model.joblib`.

    Returns
    -------
    Predictor
        Takes rows of the original table.

    Raises
    ------
    HeldoutError
        If there is no model in the file.

    Examples
    --------
    >>> load_model(Path("model.joblib"))
    Traceback (most recent call last):
        ...
    heldout.errors.HeldoutError: no model at 'model.joblib'; `heldout run` makes results/TASK/final/model.joblib
    """
    import joblib

    from heldout.selection.final import Predictor, Untrained

    if not file.is_file():
        raise HeldoutError(
            f"no model at '{file}'; `heldout run` makes results/TASK/final/model.joblib"
        )
    look_in_study_folder()  # a learner of the user's own is imported from there
    try:
        loaded = joblib.load(file)
    except Exception as error:  # unpickling a file that is no model can raise anything
        raise HeldoutError(f"'{file}' cannot be read as a model: {error}") from None
    if isinstance(loaded, Untrained):
        raise HeldoutError(loaded.why)
    if not isinstance(loaded, Predictor):
        raise HeldoutError(f"'{file}' holds a {type(loaded).__name__}, not a model of heldout")
    return loaded
