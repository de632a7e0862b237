"""What a call gives as learners and keys, as a config and the user's own estimators."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from heldout.config.load import validate
from heldout.errors import HeldoutError
from heldout.execution.tasks import DeclaredTask, declared_tasks
from heldout.memory.objects import import_path_of, is_estimator, learner_of

OF_CONFIG = ("seed", "level")
"""Keys of the config that are none of a task."""
NO_VAULT = {
    "test": "nothing is sealed in memory (test=0); heldout.run seals rows and opens them once",
    "refit": "nothing is sealed in memory, so that the model is trained on all rows already",
    "audit": "is a study of its own; heldout.run runs it from a config",
}
"""Keys of a task that have no meaning without files, and what to do."""


@dataclass
class Given:
    """Learners by name, in order: their blocks, and the user's own estimators.

    Examples
    --------
    >>> Given.of(["knn", {"estimator": "knn", "grid": {"n_neighbors": [1, 5]}}]).names
    ['knn', 'knn_2']
    """

    names: list[str] = field(default_factory=list)
    blocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    objects: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(learners: Any) -> "Given":
        """From one learner, several, or a mapping from names."""
        found = Given()
        if isinstance(learners, Mapping) and not {"estimator", "steps"} & set(learners):
            for name, one in learners.items():
                found._add(str(name), name if one is None else one)
            return found
        alone = isinstance(learners, str | Mapping) or not isinstance(learners, Iterable)
        for one in [learners] if alone or is_estimator(learners) else learners:
            found._add(found._new_name(one), one)
        return found

    def _add(self, name: str, one: Any) -> None:
        self.names.append(name)
        if isinstance(one, str) and one == name:
            return
        block = dict(one) if isinstance(one, Mapping) else {"estimator": one}
        made = block.get("estimator")
        if is_estimator(made):
            self.objects[name] = made
            block["estimator"] = import_path_of(made)
        elif isinstance(made, type):
            raise HeldoutError(
                f"learners.{name}: {made.__name__} is a class; give {made.__name__}()"
            )
        elif made is not None and not isinstance(made, str):
            raise HeldoutError(
                f"learners.{name}: a {type(made).__name__} is no learner; give a short name, an import path, an "
                "estimator, or a mapping with `estimator` or `steps`"
            )
        self.blocks[name] = {
            key: plain(value, f"learners.{name}.{key}") for key, value in block.items()
        }

    def _new_name(self, one: Any) -> str:
        name, count = _name_of(one), 1
        while name in self.names:
            count += 1
            name = f"{_name_of(one)}_{count}"
        return name


def _name_of(one: Any) -> str:
    """A short name; of an import path or an estimator its class, of a Pipeline that of its model."""
    if isinstance(one, Mapping):
        named = [
            one[key] for key in ("estimator", "step") if key in one
        ]  # never asked whether it is true:
        return _name_of(
            named[0] if named else list(one.get("steps") or [""])[-1]
        )  # an ensemble has a length
    if isinstance(one, str):
        short = one.replace(":", ".").rpartition(".")[2]
        return short if short == one else short.lower()
    steps = getattr(one, "steps", None)
    kind = one if isinstance(one, type) else type(one)
    return _name_of(steps[-1][1]) if steps else kind.__name__.lower()


def plain(value: Any, where: str) -> Any:
    """A value as a config holds it: arrays and tuples as lists, numbers of numpy as those of Python.

    Parameters
    ----------
    value
        A value of a key.
    where
        The key, for error messages.

    Returns
    -------
    Any
        Texts, numbers, lists and mappings.

    Examples
    --------
    >>> plain({"alpha": np.array([0.5, 1.0]), "k": range(2), "p": np.int64(3)}, "learners.ridge.grid")
    {'alpha': [0.5, 1.0], 'k': [0, 1], 'p': 3}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(inner, f"{where}.{key}") for key, inner in value.items()}
    if isinstance(value, list | tuple | range | set | frozenset):
        return [plain(inner, where) for inner in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise HeldoutError(
        f"{where}: expected numbers, texts and lists, found {value!r}; an estimator of your own goes where "
        "`estimator` stands, one learner for each"
    )


def declared(
    name: str, data: str, target: str, learners: Any, keys: Mapping[str, Any]
) -> DeclaredTask:
    """The task of a call, validated as that of a config is.

    Parameters
    ----------
    name
        The name of the task, which seeds are derived from.
    data, target
        What the config says of the table.
    learners
        Short names, blocks, estimators, or a mapping from names to these.
    keys
        Further keys of the task, and of the config.

    Returns
    -------
    DeclaredTask
        Without a sealed test.

    Raises
    ------
    HeldoutError
        As for a config.

    Examples
    --------
    >>> task = declared("irises", "sklearn:iris", "target", ["knn"], {"kfold": {"k": 3}})
    >>> task.block.kfold.k, task.block.test
    (3, 0.0)
    """
    for key, why in NO_VAULT.items():
        if keys.get(key):
            raise HeldoutError(f"{key}: {why}")
    given = Given.of(learners)
    plain_keys = {key: plain(value, key) for key, value in keys.items() if key not in NO_VAULT}
    task = {key: value for key, value in plain_keys.items() if key not in OF_CONFIG}
    raw: dict[str, Any] = {key: plain_keys[key] for key in OF_CONFIG if key in plain_keys}
    raw["tasks"] = {
        name: {**task, "data": data, "target": target, "test": 0, "learners": given.names}
    }
    raw["learners"] = given.blocks
    config = validate(raw)
    made = {
        one: learner_of(one, config.learners[one].model_dump(exclude_unset=True), estimator)
        for one, estimator in given.objects.items()
    }
    return declared_tasks(config, made)[name]
