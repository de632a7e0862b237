"""Estimates over time against loops that fit scikit-learn block by block."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inprocess import Run, run_task
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from heldout.names import seed_for

N = 90
ALPHAS, DEPTHS, CS = [0.01, 1.0, 100.0], [1, 2, 3], [0.01, 0.1, 1.0]
PLANS: dict[str, dict[str, Any]] = {
    "expanding": {"blocks": 7},
    "sliding": {"blocks": 8, "window": 2},
    "gap in blocks": {"blocks": 9, "gap": 1},
    "gap in time": {"blocks": 7, "gap": "9 units"},
    "window and gap in time": {"blocks": 6, "window": "40 units", "gap": "6.5 units"},
}
CASES: dict[str, dict[str, Any]] = {
    **{plan: {"rolling": settings} for plan, settings in PLANS.items()},
    "groups": {"rolling": {"blocks": 7, "gap": 1}, "groups": "site"},
    "weights": {"rolling": {"blocks": 7}, "weights": "w"},
    "classes": {"rolling": {"blocks": 6, "gap": "4 units"}, "classes": True},
    "scores": {"rolling": {"blocks": 5}, "classes": True, "loss": "roc_auc"},
    "r2": {"rolling": {"blocks": 5}, "loss": "r2"},
    "one standard error": {"rolling": {"blocks": 8}, "select": {"rule": "one_se"}},
}


class Table:
    """Rows in no order; the time has ties, so that blocks are unequal."""

    def __init__(self, classes: bool):
        draw = np.random.default_rng(4)
        self.time = np.sort(draw.integers(0, 70, size=N)).astype(float)
        self.x = np.round(draw.normal(size=(N, 3)), 4)
        signal = self.x @ [2.0, -1.0, 0.5] + np.cumsum(draw.normal(size=N)) / 3
        self.y = (signal > np.median(signal)).astype(int) if classes else np.round(signal, 4)
        self.w = draw.integers(1, 5, size=N).astype(float)
        self.site = np.unique(self.time, return_inverse=True)[1] // 2
        mixed = draw.permutation(N)
        for name in ("time", "x", "y", "w", "site"):
            setattr(self, name, getattr(self, name)[mixed])

    def write(self, folder: Path) -> str:
        lines = ["when,a,b,c,w,site,y"]
        for i in range(N):
            y = ("no", "yes")[self.y[i]] if self.y.dtype.kind == "i" else self.y[i]
            row = [self.time[i], *self.x[i], self.w[i], f"s{self.site[i]}", y]
            lines.append(",".join(map(str, row)))
        (folder / "table.csv").write_text("\n".join(lines) + "\n")
        return str(folder / "table.csv")


@pytest.fixture(scope="module", params=CASES)
def finished(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Table, Run]:
    case = CASES[request.param]
    folder, classes = tmp_path_factory.mktemp("rolling"), case.get("classes", False)
    table = Table(classes)
    task = {name: value for name, value in case.items() if name != "classes"}
    drop = [name for name in ("w", "site") if name not in (task.get("weights"), task.get("groups"))]
    default = "cross_entropy" if classes else "squared"
    given = {"data": table.write(folder), "target": "y", "time": "when", "drop": drop, "test": 0.2}
    learners: dict[str, Any] = {
        "linear": {"estimator": "logistic", "grid": {"C": CS}}
        if classes
        else {"estimator": "ridge", "grid": {"alpha": ALPHAS}, "simpler": {"alpha": "larger"}}
    }
    if not classes:
        learners["tree"] = {
            "estimator": "tree", "grid": {"max_depth": DEPTHS}, "params": {"min_samples_leaf": 2},
            "simpler": {"max_depth": "smaller"},
        }  # fmt: skip
    config = {
        "tasks": {"t": {"loss": default, "learners": list(learners), **given, **task}},
        "learners": learners,
    }
    case = {"loss": default, **case}
    return case, table, run_task(config, folder / "run")


# --- the loops -------------------------------------------------------------------------------------


def seconds(span: Any) -> float | None:
    return float(span.split()[0]) if isinstance(span, str) else None


def blocks_by_hand(time: np.ndarray, atoms: np.ndarray, count: int) -> np.ndarray:
    """Cut after the atom whose end is nearest to k/T of the rows, and leave one for each later block."""
    sizes = [int((atoms == atom).sum()) for atom in np.unique(atoms)]
    block, cut = np.empty(len(time), int), -1
    for k in range(1, count + 1):
        places = range(cut + 1, len(sizes) - (count - k))
        ends = [abs(sum(sizes[: place + 1]) - k * len(time) / count) for place in places]
        end = places[int(np.argmin(ends))] if k < count else len(sizes) - 1
        block[(atoms > cut) & (atoms <= end)] = k
        cut = end
    return block


def model_of(theta: dict[str, Any], held: str) -> Any:
    name, value = next(iter(theta.items()))
    if name == "alpha":
        return make_pipeline(StandardScaler(), Ridge(alpha=value))
    if name == "C":
        return make_pipeline(
            StandardScaler(), LogisticRegression(C=value, tol=1e-10, max_iter=9999)
        )
    seed = seed_for(19, "t", "tree", held)  # for ties between features
    return DecisionTreeRegressor(max_depth=value, min_samples_leaf=2, random_state=seed)


def risk_of(
    case: dict,
    table: Table,
    theta: dict[str, Any],
    train: np.ndarray,
    held: np.ndarray,
    name: str = "full",
) -> float:
    model, weights = model_of(theta, name), "weights" in case
    w = {f"{step}__sample_weight": table.w[train] for step, _ in getattr(model, "steps", [])}
    if not hasattr(model, "steps"):
        w = {"sample_weight": table.w[train]}
    model.fit(table.x[train], table.y[train], **(w if weights else {}))
    y, x, judged = table.y[held], table.x[held], table.w[held] if weights else None
    if case["loss"] == "cross_entropy":
        return float(log_loss(y, model.predict_proba(x), labels=[0, 1]))
    if case["loss"] == "roc_auc":
        return 1 - float(roc_auc_score(y, model.predict_proba(x)[:, 1]))
    if case["loss"] == "r2":
        return 1 - float(r2_score(y, model.predict(x)))
    return float(np.average((y - model.predict(x)) ** 2, weights=judged))


class Loop:
    """Everything again, with a fit for each block and θ."""

    def __init__(self, case: dict, table: Table, run: Run):
        settings = case["rolling"]
        self.count, gap, window = settings["blocks"], settings.get("gap", 0), settings.get("window")
        stamp = table.site if "groups" in case else table.time
        order = np.unique(stamp)
        cut = int(np.argmin([abs((stamp <= one).sum() - 0.8 * N) for one in order[:-1]]))
        self.sealed = stamp > order[cut]
        start = table.time[self.sealed].min()
        earlier = np.flatnonzero(~self.sealed)
        if seconds(gap) is not None:
            open_rows = earlier[table.time[earlier] < start - seconds(gap)]
        else:
            parts = blocks_by_hand(
                table.time[earlier], self.ranks(stamp[earlier]), self.count + gap
            )
            open_rows = earlier[parts <= self.count]
        self.rows = open_rows
        time = table.time[open_rows]
        block = blocks_by_hand(time, self.ranks(stamp[open_rows]), self.count)
        self.tested: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.known: dict[int, list[int]] = {}
        for t in range(1, self.count + 1):
            begin = time[block == t].min()
            if seconds(gap) is not None:
                past, now = time < begin - seconds(gap), begin - seconds(gap)
            else:
                past = block <= t - 1 - gap
                now = time[block == max(t - gap, 1)].min()
            train = past
            if seconds(window) is not None:
                train = past & (time >= now - seconds(window))
            elif window is not None:
                train = past & (block > block[past].max(initial=0) - window)
            if train.any():
                self.tested[t] = open_rows[train], open_rows[block == t]
                self.known[t] = [s for s in self.tested if s < t and past[block == s].all()]
        self.case, self.table, self.run = case, table, run
        self.losses = {
            name: np.array(
                [
                    [
                        risk_of(case, table, theta, *sets, f"t{self.count}.b{t:02d}")
                        for t, sets in self.tested.items()
                    ]
                    for theta in grid
                ]
            )
            for name, grid in self.grids.items()
        }

    @staticmethod
    def ranks(values: np.ndarray) -> np.ndarray:
        return np.unique(values, return_inverse=True)[1]

    @property
    def grids(self) -> dict[str, list[dict[str, Any]]]:
        if self.case.get("classes"):
            return {"linear": [{"C": c} for c in CS]}
        return {
            "linear": [{"alpha": a} for a in ALPHAS],
            "tree": [{"max_depth": d} for d in DEPTHS],
        }

    def chosen(self, name: str, columns: list[int]) -> int:
        """The place of θ by the task's rule, over some blocks."""
        series = self.losses[name][:, columns]
        means = series.mean(axis=1)
        best = int(means.argmin())
        if self.case.get("select") is None or len(columns) < 3:
            return best
        limit = means[best] + cosine_error(series[best])
        near = np.flatnonzero(means <= limit)
        return int(near.max() if name == "linear" else near.min())  # larger alpha, smaller tree

    def nested(self, names: list[str]) -> dict[int, tuple[str, int, float]]:
        found, order = {}, list(self.tested)
        for t, known in self.known.items():
            if known:
                columns = [order.index(s) for s in known]
                picks = {name: self.chosen(name, columns) for name in names}
                means = {n: self.losses[n][p, columns].mean() for n, p in picks.items()}
                name = min(names, key=lambda one: means[one])
                found[t] = name, picks[name], self.losses[name][picks[name], order.index(t)]
        return found


def cosine_error(x: np.ndarray) -> float:
    count = len(x)
    terms = max(2, int(0.4 * count ** (2 / 3) + 1e-9))
    waves = [
        np.sqrt(2 / count)
        * sum(np.cos(np.pi * j * (t - 0.5) / count) * x[t - 1] for t in range(1, count + 1))
        for j in range(1, terms + 1)
    ]
    return float(np.sqrt(np.mean(np.square(waves)) / count))


@pytest.fixture(scope="module")
def loop(finished: tuple[dict, Table, Run]) -> Loop:
    return Loop(*finished)


def test_sealed_rows_and_gap_are_those_of_the_loop(loop: Loop) -> None:
    rows = np.load(loop.run.folder / "data" / "rows.npy")
    assert rows["source"].tolist() == loop.rows.tolist()
    assert loop.run.estimate("all", "test").n == loop.sealed.sum()


def test_rolling_is_the_mean_over_blocks_of_separate_fits(loop: Loop) -> None:
    for name, grid in loop.grids.items():
        for theta, losses in zip(grid, loop.losses[name], strict=True):
            assert loop.run.risk(name, theta, "rolling") == pytest.approx(losses.mean(), abs=1e-6)


def test_nested_rolling_is_that_of_the_loop(loop: Loop) -> None:
    for procedure, names in {**{n: [n] for n in loop.grids}, "all": list(loop.grids)}.items():
        wanted = loop.nested(names)
        rows = [row for row in loop.run.folds if row.learner == procedure]
        assert [row.fold for row in rows] == list(wanted)
        for row, (name, place, loss) in zip(rows, wanted.values(), strict=True):
            assert row.chosen == name
            assert row.theta == str(loop.grids[name][place]).replace("'", '"').replace(" ", "")
            assert row.risk == pytest.approx(loss, abs=1e-6)
        mean = np.mean([loss for *_, loss in wanted.values()])
        assert loop.run.estimate(procedure, "nested_rolling").risk == pytest.approx(mean, abs=1e-6)


def test_the_final_model_is_trained_on_the_window(loop: Loop) -> None:
    window, time = loop.case["rolling"].get("window"), loop.table.time[loop.rows]
    kept = np.ones(len(time), bool)
    if seconds(window) is not None:
        kept = time > time.max() - seconds(window)
    elif window is not None:
        kept = blocks_by_hand(time, loop.ranks(time), loop.count) > loop.count - window
    chosen, theta = loop.run.selection["learner"], loop.run.selection["theta"]
    train = loop.rows[kept]
    loss = risk_of(loop.case, loop.table, theta, train, train)
    assert loop.run.estimate(chosen, "training").n == len(train)
    assert loop.run.risk(chosen, theta, "training") == pytest.approx(loss, abs=1e-6)
    sealed = risk_of(loop.case, loop.table, theta, train, np.flatnonzero(loop.sealed))
    assert loop.run.estimate("all", "test").risk == pytest.approx(sealed, abs=1e-6)


def test_nested_rolling_fits_no_further_cell(loop: Loop) -> None:
    found = [path.name for path in (loop.run.folder / "cells").rglob("*.safetensors")]
    thetas = sum(map(len, loop.grids.values()))
    assert sorted(set(found) - {"full.safetensors", "dev.safetensors"}) == [
        f"t{loop.count}.b{t:02d}.safetensors" for t in loop.tested
    ]
    assert len(found) == thetas * (len(loop.tested) + 2)


def test_the_interval_is_that_of_cosine_averages(loop: Loop) -> None:
    row = loop.run.estimate("all", "nested_rolling")
    series = np.array([loss for *_, loss in loop.nested(list(loop.grids)).values()])
    if len(series) < 6:
        assert row.interval is None
        assert "needs 6 blocks" in str(row.note)
    else:
        assert row.interval == "cosine_t"
        assert row.se == pytest.approx(cosine_error(series), rel=1e-4)


# --- an endless grid ---------------------------------------------------------------------------------


def test_a_scan_goes_on_until_every_choice_before_a_block_has_stopped(tmp_path: Path) -> None:
    table = Table(False)
    task = {
        "data": table.write(tmp_path), "target": "y", "time": "when", "drop": ["w", "site"], "test": 0,
        "rolling": {"blocks": 6}, "learners": ["knn"], "loss": "squared",
        "estimators": ["rolling", "nested_rolling"],
        "select": {"rule": "first_local_min", "patience": 2, "maximum": 9},
    }  # fmt: skip
    knn = {"estimator": "knn", "grid": {"n_neighbors": {"from": 1}}}
    run = run_task({"tasks": {"t": task}, "learners": {"knn": knn}}, tmp_path / "run")
    tried = sorted({int(row.theta.split(":")[1][:-1]) for row in run.risks})
    assert tried == list(range(1, len(tried) + 1))
    assert [row.fold for row in run.folds if row.learner == "knn"] == [3, 4, 5, 6]
    series: dict[int, list[float]] = {k: [] for k in tried}
    rows = np.load(run.folder / "data" / "rows.npy")
    block = blocks_by_hand(rows["time"], Loop.ranks(rows["time"]), 6)
    x, y = table.x[rows["source"]], table.y[rows["source"]]
    for t in range(2, 7):
        train, held = block < t, block == t
        scale = StandardScaler().fit(x[train])
        for k in tried:
            model = KNeighborsRegressor(k).fit(scale.transform(x[train]), y[train])
            series[k].append(np.mean((model.predict(scale.transform(x[held])) - y[held]) ** 2))
    for row in run.folds:
        known = {k: np.array(losses[: row.fold - 2]) for k, losses in series.items()}
        best, rises = 1, 0
        for k in tried[1:]:
            error = cosine_error(known[best]) if len(known[best]) >= 3 else 0.0
            if known[k].mean() < known[best].mean():
                best, rises = k, 0
            elif known[k].mean() > known[best].mean() + error:
                rises += 1
            if rises == 2:
                break
        assert row.theta == f'{{"n_neighbors":{best}}}'
        assert rises == 2 or len(tried) == 9
