"""A learner as the config declares it: its definition, its grid, and an order of simplicity.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from heldout.errors import HeldoutError
from heldout.learners.catalogue import Entry
from heldout.learners.definition import TAKE_COLUMNS, Definition
from heldout.learners.grid import endless_axis, expand, size, unordered
from heldout.learners.libraries import library_params, source_of
from heldout.learners.lookup import entry_for
from heldout.learners.nested import params_with_objects, paths_in, with_objects
from heldout.learners.step_catalogue import OWN
from heldout.learners.steps import Parsed, parse_steps
from heldout.learners.threads import checked_threads
from heldout.names import Theta, seed_for


@dataclass(frozen=True, kw_only=True)
class Learner(Definition):
    """A named family of algorithms {A_θ : θ ∈ grid}.

    Parameters
    ----------
    grid
        The axis of each hyper-parameter, as in the config.
    simpler
        For `one_se`: whether the `larger` or the `smaller` value of a hyper-parameter is simpler.
    instead
        What to use for the kind of target that the learner is not for.

    The other parameters are those of `Definition`.
    """

    grid: dict[str, Any]
    simpler: dict[str, str] = field(default_factory=dict)
    instead: str = ""

    @property
    def endless(self) -> bool:
        """Whether the grid has no end: its θ are scanned, not listed."""
        return endless_axis(self.grid, self._where) is not None

    def thetas(self, seed: int) -> list[Theta]:
        """All θ of a finite grid, in order. Of θ with equal risk, selection takes the first."""
        if self.endless:
            raise ValueError(f"learner {self.name} has an endless grid")
        return expand(self.grid, seed_for(seed, "grid", self.name), self._where)

    @property
    def size(self) -> int:
        """How many θ a finite grid has, counted without listing them."""
        return size(self.grid, self._where)

    def first_thetas(self, count: int) -> list[Theta]:
        """The first θ of an endless grid."""
        axis = endless_axis(self.grid, self._where)
        assert axis is not None
        name, start, step = axis
        return [{name: start + step * i} for i in range(count)]

    @property
    def _where(self) -> str:
        """The grid's key in the config. Do not change this text: it seeds random grids."""
        return f"learners.{self.name}.grid"

    def import_path(self, classification: bool) -> str:
        """The import path of the estimator for this kind of target; an error if there is none."""
        path = self.path(classification)
        if path is None:
            kind = "classification" if classification else "regression"
            raise HeldoutError(f"learner '{self.name}' is not for {kind}: {self.instead}")
        return path

    def foreign(self, classification: bool, trusted: tuple[str, ...]) -> str | None:
        """The first import path, of the estimator and its steps, that starts with none of these."""
        paths = [self.path(classification) or "", *paths_in([self.params, self.steps])]
        return next((path for path in paths if path and not path.startswith(trusted)), None)

    def as_spec(self) -> dict[str, Any]:
        """The learner as JSON-ready data; `Learner(**spec)` makes it again."""
        return asdict(self)


def define(name: str, given: dict[str, Any] | None) -> Learner:
    """The learner of a config block, or of the catalogue alone.

    Parameters
    ----------
    name
        The learner's name; without a block it must be a short name of the catalogue.
    given
        The block `learners.NAME` of the config, with the keys that the user wrote; None if there is
        no such block.

    Returns
    -------
    Learner
        With the catalogue's defaults filled in.

    Examples
    --------
    >>> define("knn", None).thetas(seed=19)[:2]
    [{'n_neighbors': 1}, {'n_neighbors': 3}]
    >>> define("mine", {"estimator": "ridge", "grid": {"alpha": [1.0]}}).regressor
    'sklearn.linear_model.Ridge'
    """
    where = f"learners.{name}"
    block = given or {"estimator": name}
    _check_block(block, where)
    parsed = parse_steps(block["steps"], f"{where}.steps") if block.get("steps") else None
    entry = entry_for(block["estimator"], where) if parsed is None else parsed.entry
    fixed = params_with_objects(block.get("params", {}), f"{where}.params")
    if parsed is not None:
        fixed = {**parsed.params, **_of_model(fixed, parsed)}
    default_grid = {key: axis for key, axis in entry.grid.items() if key not in fixed}
    grid = block.get("grid", default_grid)
    _check_values(grid, f"{where}.grid")
    overlap = sorted(set(_of_model(grid, parsed)) & set(fixed))
    if overlap:
        raise HeldoutError(f"{where}: '{overlap[0]}' stands both in params and in grid")
    given_names = {**fixed, **_of_model(_axes(grid), parsed)}
    brought = library_params(entry.classifier or entry.regressor, given_names)
    scale, steps = block.get("scale"), [] if parsed is None else parsed.steps
    params = {**entry.params, **brought, **fixed}
    return Learner(
        name=name,
        classifier=entry.classifier,
        regressor=entry.regressor,
        params=params,
        scale=entry.scale if scale is None else scale,
        polynomial=entry.polynomial,
        source=_source(entry, [params, steps], where, parsed is None),
        steps=steps,
        calibrate=block.get("calibrate"),
        target=block.get("target"),
        native=entry.native,
        grid=grid,
        simpler=_simpler(entry.simpler, block.get("simpler", {}), grid, parsed, where),
        instead=entry.instead,
        threads=checked_threads(
            block, entry.classifier or entry.regressor or "", given_names, where
        ),
    )


def _check_block(block: dict[str, Any], where: str) -> None:
    """Refuse keys that exclude each other."""
    estimator, steps = block.get("estimator"), block.get("steps")
    if not estimator and not steps:
        raise HeldoutError(f"{where}.estimator: is missing; give estimator or steps")
    if estimator and steps:
        raise HeldoutError(
            f"{where}: estimator and steps exclude each other; the last step is the model"
        )
    if steps and block.get("scale") is not None:
        raise HeldoutError(
            f"{where}.scale: goes with estimator; in steps, write the step scale, or prepare with "
            "params: {scale: true}"
        )
    if block.get("scale") and takes_columns(estimator or ""):
        raise HeldoutError(
            f"{where}.scale: '{estimator}' takes the columns as they are; leave scale out, or write "
            "steps: [{step: prepare, params: {scale: true}}, …]"
        )
    if block.get("calibrate") and block.get("target"):
        raise HeldoutError(
            f"{where}: calibrate is for classes and target for numbers; leave one out"
        )


def _check_values(grid: dict[str, Any], where: str) -> None:
    """Refuse estimators and functions: θ is written as JSON into names of files and tables."""
    for name, axis in _axes(grid).items():
        if with_objects(axis, f"{where}.{name}") != axis:
            raise HeldoutError(
                f"{where}.{name}: values of a grid are numbers, texts and lists; estimators and functions go "
                f"into params, one learner for each"
            )


def takes_columns(estimator: str) -> bool:
    """Whether a short name or import path is of a library that takes columns as they are."""
    return estimator.startswith(TAKE_COLUMNS) or f"{estimator}." in TAKE_COLUMNS


def _of_model(params: dict[str, Any], parsed: Parsed | None) -> dict[str, Any]:
    """The parameters with those of the model by their plain names."""
    if parsed is None:
        return params
    prefix = parsed.steps[-1]["name"] + "__"
    return {name.removeprefix(prefix): value for name, value in params.items()}


def _axes(grid: dict[str, Any]) -> dict[str, Any]:
    """The hyper-parameters of a grid; also of one that is drawn as a whole."""
    whole = grid.get("random")
    return whole if set(grid) == {"random", "n"} and isinstance(whole, dict) else grid


def _simpler(
    known: dict[str, str],
    given: dict[str, str],
    grid: dict[str, Any],
    parsed: Parsed | None,
    where: str,
) -> dict[str, str]:
    """Which values are simpler: as the catalogue knows, and as the user says. Only numbers have an order."""
    axes = {**_axes(grid), **_of_model(_axes(grid), parsed)}
    for name in given:
        for value in unordered(axes.get(name)):
            raise HeldoutError(
                f"{where}.simpler.{name}: '{value}' in its grid is no number, so no value is larger or smaller; leave "
                f"'{name}' out of simpler"
            )
    both = {name: way for name, way in known.items() if not unordered(axes.get(name))}
    return {**both, **given, **_of_model(given, parsed)}


def _source(entry: Entry, params: Any, where: str, plain: bool) -> str:
    """What identifies all code that is not scikit-learn's own: of the model, its steps and objects."""
    path = entry.classifier or entry.regressor or ""
    own = source_of(path, f"{where}.{'estimator' if plain else 'steps'}")
    others = sorted({one for one in paths_in(params) if not one.startswith(OWN)} - {path})
    found = {one: source_of(one, where) for one in others}
    return "; ".join(filter(None, [own, *(f"{k}: {v}" for k, v in found.items() if v)]))
