"""Objects among the parameters of an estimator, as the config writes them.

``{estimator: SHORT_OR_PATH, params: {…}}`` is another estimator, ``{function: PATH}`` a function. In
a definition they stand in their canonical form, with import paths in place of short names:
``{"make": [of classes, of numbers], "params": {…}}`` and ``{"take": path}``.

Standard library only: the workflow imports this while it is parsed.
"""

from collections.abc import Iterator
from typing import Any

from heldout.errors import HeldoutError
from heldout.learners.definition import MAKE, TAKE
from heldout.learners.libraries import library_params
from heldout.learners.lookup import entry_for


def with_objects(value: Any, where: str) -> Any:
    """A value of a parameter in its canonical form.

    Parameters
    ----------
    value
        A number, text, list or mapping, as in the config.
    where
        The key of the config that an error message names.

    Returns
    -------
    Any
        The same, with the canonical form of each object.

    Examples
    --------
    >>> with_objects({"estimator": "tree", "params": {"max_depth": 2}}, "learners.mine")["params"]
    {'max_depth': 2}
    >>> with_objects([{"function": "numpy.log1p"}, 3], "learners.mine")
    [{'take': 'numpy.log1p'}, 3]
    """
    if isinstance(value, list):
        return [with_objects(inner, where) for inner in value]
    if not isinstance(value, dict):
        return value
    if "estimator" in value and set(value) <= {"estimator", "params"}:
        return _estimator(value, where)
    if set(value) == {"function"} and isinstance(value["function"], str):
        return {TAKE: value["function"]}
    return {key: with_objects(inner, f"{where}.{key}") for key, inner in value.items()}


def params_with_objects(params: dict[str, Any], where: str) -> dict[str, Any]:
    """The parameters of one estimator in their canonical form: `estimator` may be one of their names.

    Parameters
    ----------
    params
        Values by name, as in the config.
    where
        The key of the config that an error message names.

    Returns
    -------
    dict
        The same names.

    Examples
    --------
    >>> params_with_objects({"estimator": {"estimator": "majority"}}, "learners.mine.params")
    {'estimator': {'make': ['sklearn.dummy.DummyClassifier', None], 'params': {'strategy': 'prior'}}}
    """
    return {name: with_objects(value, f"{where}.{name}") for name, value in params.items()}


def _estimator(value: dict[str, Any], where: str) -> dict[str, Any]:
    path, params = value["estimator"], value.get("params") or {}
    if not isinstance(path, str) or not isinstance(params, dict):
        raise HeldoutError(f"{where}: expected {{estimator: NAME, params: {{…}}}}, found {value!r}")
    entry = entry_for(path, where)
    own = params_with_objects(params, where)
    given = {**entry.params, **library_params(entry.classifier or entry.regressor, own), **own}
    return {MAKE: [entry.classifier, entry.regressor], "params": given}


def paths_in(value: Any) -> Iterator[str]:
    """The import paths of all objects in a canonical value.

    Parameters
    ----------
    value
        What `with_objects` returned, or something that holds such values.

    Yields
    ------
    str
        Import paths.

    Examples
    --------
    >>> list(paths_in({"func": {"take": "numpy.log1p"}, "k": 3}))
    ['numpy.log1p']
    """
    if isinstance(value, list):
        for inner in value:
            yield from paths_in(inner)
    elif isinstance(value, dict):
        for key in (MAKE, TAKE):
            found = value.get(key)
            yield from filter(None, found if isinstance(found, list) else [found])
        if isinstance(value.get("path"), str):
            yield value["path"]
        for inner in value.values():
            yield from paths_in(inner)
