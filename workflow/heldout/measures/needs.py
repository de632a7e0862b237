"""What of `Predictions` a measure is computed from.

Standard library only.
"""

from heldout.measures.loss import RANKING

BY_THRESHOLD = "threshold"
"""What a measure of labels needs where a threshold decides these: probabilities."""

FIELDS = {RANKING: ("decision", "proba"), BY_THRESHOLD: ("proba",)}


def fields_of(needs: str) -> tuple[str, ...]:
    """List the fields that a measure can be computed from.

    Parameters
    ----------
    needs
        What a loss needs: label, proba, value, ranking or threshold.

    Returns
    -------
    tuple of str
        Fields of `Predictions`; one of them is enough.

    Examples
    --------
    >>> fields_of("label"), fields_of("ranking")
    (('label',), ('decision', 'proba'))
    """
    return FIELDS.get(needs, (needs,))
