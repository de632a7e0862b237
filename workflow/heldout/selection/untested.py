"""What is said of the model that is trained on all rows: it is not the one that was tested."""

from typing import Any

from heldout.data.joined import Joined
from heldout.resampling.spans import shown_time

TRAINED, REFUSED = "trained", "not trained"
MODEL = "model_all.joblib"


def card_of_all(training: dict[str, Any], joined: Joined) -> dict[str, Any]:
    """Make the content of card_all.json.

    Parameters
    ----------
    training
        The content of training.json, which is about the model that was tested.
    joined
        The rows of this model.

    Returns
    -------
    dict
        What a user of the model needs to know about it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> joined = Joined(SimpleNamespace(n=344, digest="d"), sealed=69, left_out=0)
    >>> card_of_all({"trained_on": {"rows": 275}}, joined)["trained_on"]["rows"]
    344
    """
    unsealed, time = training["trained_on"]["rows"], training.get("time")
    gap = time["left_out"] if time else 0
    return {
        "model": MODEL,
        "state": TRAINED,
        "note": note(unsealed, joined.sealed, joined.left_out, gap),
        **training,
        "time": _with_last(time, joined),
        "trained_on": {
            **training["trained_on"],
            "rows": joined.table.n,
            "unsealed": unsealed,
            "sealed": joined.sealed,
            "left_out": joined.left_out,
            "digest": joined.table.digest,
        },
    }


def _with_last(time: dict[str, Any] | None, joined: Joined) -> dict[str, Any] | None:
    """The facts about time, up to the last sealed row."""
    if time is None or joined.table.times is None:
        return time
    last = float(joined.table.times.max())
    return {**time, "last": shown_time(last, time["dates"])}


def refused_card(training: dict[str, Any], message: str) -> dict[str, Any]:
    """Make the content of card_all.json where the sealed rows stay sealed.

    Parameters
    ----------
    training
        The content of training.json.
    message
        Why the opening was refused.

    Returns
    -------
    dict
        Why there is no model.

    Examples
    --------
    >>> refused_card({"task": "t", "learner": "knn", "theta": {}}, "judged before")["state"]
    'not trained'
    """
    reason = message.rstrip(". ")
    why = f"no model was trained on all rows, for the sealed ones stay sealed: {reason}"
    about = {name: training[name] for name in ("task", "learner", "theta")}
    return {"model": None, "state": REFUSED, "note": why, **about, "trained_on": None}


def note(unsealed: int, sealed: int, left_out: int = 0, gap: int = 0) -> str:
    """What must be known of the model, in words.

    Parameters
    ----------
    unsealed, sealed
        How many rows of each it was trained on.
    left_out
        Sealed rows of a class that the others do not have.
    gap
        Rows in the gap before the sealed ones, which nothing was ever done with.

    Returns
    -------
    str
        One or two sentences.

    Examples
    --------
    >>> print(note(275, 69))
    model_all.joblib is trained on all 344 rows, the 69 sealed ones included. No number in the report is about it: they are about model.joblib, which has seen 275 rows. More rows usually make a model no worse, but nobody has tested this one.
    """
    without = f" ({left_out} sealed rows of unknown classes are left out)" if left_out else ""
    within = f" (without the {gap} in the gap before the sealed ones)" if gap else ""
    return (
        f"{MODEL} is trained on all {unsealed + sealed} rows{within}{without}, the {sealed} sealed ones included. "
        f"No number in the report is about it: they are about model.joblib, which has seen {unsealed} rows. "
        "More rows usually make a model no worse, but nobody has tested this one."
    )
