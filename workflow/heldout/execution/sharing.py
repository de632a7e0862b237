"""Tasks of one config that share a table and a target, and so the sealed rows.

Standard library and pydantic only: the workflow imports this while it is parsed.
"""

from posixpath import normpath

from heldout.config.models import Config, Task
from heldout.measures.choice import classification_of
from heldout.names import canonical, digest

NO_SELECTION = {"metrics", "audit"}
"""Keys of a task that change no selection."""


def sharing_tasks(config: Config, name: str) -> list[str]:
    """The tasks with the table and the target of a task, itself among them, in the config's order."""
    place = _place(config.tasks[name])
    return [other for other, task in config.tasks.items() if _place(task) == place]


def _place(task: Task) -> tuple[str, str]:
    return normpath(task.data), task.target


def opening_tasks(config: Config, name: str) -> list[str]:
    """Those of them that open the sealed rows."""
    found = {one: config.tasks[one] for one in sharing_tasks(config, name)}
    return [one for one, task in found.items() if task.test and "test" in task.estimators]


def sharing_digest(config: Config, names: list[str]) -> str:
    """Of all in the config that can change a selection of these tasks.

    Openings with the same digest belong to one run of one config, also if it was interrupted.
    """
    tasks = {name: config.tasks[name].model_dump(exclude=NO_SELECTION) for name in names}
    used = {learner for name in names for learner in config.tasks[name].learners}
    learners = {name: one.model_dump() for name, one in config.learners.items() if name in used}
    return digest(canonical({"seed": config.seed, "tasks": tasks, "learners": learners}))


def sealing_notes(config: Config) -> list[str]:
    """What to say of tasks that share table and target, and do not seal the same rows."""
    notes = []
    for name in config.tasks:
        first = sharing_tasks(config, name)[0]
        differ = [
            key
            for key, value in _sealing(config.tasks[name]).items()
            if value != _sealing(config.tasks[first])[key]
        ]
        if differ:
            notes.append(
                f"tasks '{first}' and '{name}' share a table and a target, and do not seal the same rows "
                f"({', '.join(differ)} differ): each learns from rows that the other one seals"
            )
    return notes


def _sealing(task: Task) -> dict[str, object]:
    """What decides which rows are sealed, besides seed, table and target."""
    return {
        "test": task.test,
        "groups": task.groups,
        "kfold.stratify": task.kfold.stratify,
        "loss": classification_of(task.loss),
        "oracle": task.oracle,
        "time": task.time,
    }
