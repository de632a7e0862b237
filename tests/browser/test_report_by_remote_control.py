"""The report under a real keyboard, on a phone, in the dark, on paper, and for axe-core."""

import base64
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser.axe import violations
from browser.chromium import needs_browser
from browser.devtools import Tab
from browser.report_case import Case, csv_rows
from browser.report_pages import Write, case_with_everything, classes, numbers

from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions
from heldout.report.overview import index_page
from heldout.results.predictions import HeldOut, classification

pytestmark = needs_browser

CHECKS = [
    dict(zip(("code", "title", "status", "severity", "message", "docs"), row, strict=True))
    for row in (
        ("H1", "first", "fail", "error", "a large thing", ""),
        ("H2", "second", "fail", "warning", "a thing", ""),
        ("H3", "third", "fail", "note", "a small thing", ""),
        ("H4", "fourth", "pass", "error", "fine", ""),
        ("H5", "fifth", "na", "error", "no groups", ""),
    )
]
# The shape of a mark and its middle on the screen, in the order of the data.
DOTS = """
[...document.querySelectorAll("%s g[aria-label=dot] :is(circle, path)")].map((mark) => {
  const box = mark.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
})
"""

# The middle and the height of the bars below the reliability curve.
BARS = """
[...[...document.querySelectorAll("#judged g[aria-label=rule]")].at(-1).querySelectorAll("line")].map((mark) => {
  const box = mark.getBoundingClientRect();
  return [box.left + box.width / 2, box.height];
})
"""


OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


class ManyIntervals(Case):
    """Each estimate with three intervals."""

    def _estimates(self) -> Iterable[dict[str, Any]]:
        for row in super()._estimates():
            more = ("nadeau_bengio", "bates") if row["interval"] else ()
            others = [row | {"interval": name, "recommended": False} for name in more]
            yield from (row, *others)


@pytest.fixture
def page(write: Write) -> Path:
    case = case_with_everything()
    case.tables["checks"] = CHECKS
    return write(case, classes(["a", "b", "c"]))


def affine(places: list[float], values: list[float]) -> float:
    """The largest distance, in pixels, from a straight scale through the extreme values."""
    low, high = values.index(min(values)), values.index(max(values))
    assert abs(places[high] - places[low]) > 50, "the marks all stand in one place"
    slope = (places[high] - places[low]) / (values[high] - values[low])
    away = [
        p - places[low] - slope * (v - values[low]) for p, v in zip(places, values, strict=True)
    ]
    return max(map(abs, away))


def test_the_page_says_nothing_and_asks_for_nothing(tab: Tab, page: Path) -> None:
    for width in (390, 1300, 1920):
        tab.open(page, width)
        assert tab.complaints() == []
        assert tab.requests() == [page.as_uri()]
        assert tab.run("performance.getEntriesByType('resource').length") == 0


def test_a_complaint_or_a_request_would_be_noticed(tab: Tab, page: Path) -> None:
    tab.open(page)
    tab.run("console.error('x'); fetch('http://127.0.0.1:9/').catch(() => 0).then(() => 1)")
    assert tab.complaints()


@pytest.mark.parametrize("width", [390, 768, 1300, 1920])
def test_nothing_is_wider_than_the_screen(tab: Tab, page: Path, width: int) -> None:
    tab.open(page, width)
    assert tab.run("document.documentElement.scrollWidth") <= width
    drawn = tab.run("[...document.querySelectorAll('svg[role=img]')].map((s) => s.clientWidth)")
    assert len(drawn) >= 10
    assert 100 < min(drawn) <= max(drawn) <= width


def test_the_dots_stand_where_the_files_say(tab: Tab, page: Path) -> None:
    tab.open(page)
    places = tab.run(DOTS % "#by-learner")
    rows = [row for row in csv_rows(page.parent / "estimates.csv") if row["learner"] == "all"]
    assert len(places) == len(rows) == 4
    assert affine([x for x, _ in places], [float(row["risk"]) for row in rows]) < 0.6
    assert sorted(y for _, y in places) == [y for _, y in places]


def test_the_curves_stand_where_the_files_say(tab: Tab, page: Path) -> None:
    tab.open(page)
    places = tab.run(DOTS % "#grids article:first-child")  # the selected θ first, it is larger
    wanted = [row for row in csv_rows(page.parent / "risks.csv") if row["learner"] == "knn"]
    heights = [y for series in (places[:5], places[5:]) for _, y in sorted(series)]
    rows = [r for name in ("training", "kfold") for r in wanted if r["estimator"] == name]
    assert len(heights) == len(rows) == 10
    assert affine(heights, [float(row["risk"]) for row in rows]) < 0.6


def test_regressions_stand_where_the_data_say(tab: Tab, write: Write) -> None:
    found = numbers()
    tab.open(write(Case(classes=None, loss="squared"), found))
    columns = dict(zip(found["points"]["columns"], found["points"]["values"], strict=True))
    places = tab.run(DOTS % "#held-out article:first-child")
    assert len(places) == len(columns["true"]) == 200
    for axis, name in ((0, "predicted"), (1, "true")):
        assert affine([place[axis] for place in places], columns[name]) < 0.6


@pytest.mark.parametrize("width", [390, 1280])
def test_the_reliability_curve_stands_where_the_data_say(
    tab: Tab, write: Write, width: int
) -> None:
    rng = np.random.default_rng(0)
    proba = np.round(rng.beta(0.6, 1.0, 300), 1)  # with ties, so that bins differ in size
    target = (rng.random(300) < proba).astype(int)
    given = Predictions(target, np.column_stack([1 - proba, proba]))
    found = classification(HeldOut(np.arange(300), target, given, np.zeros(300)), ["no", "yes"])
    [one] = found["calibration"]
    tab.open(write(Case(), found), width)
    assert max(b["n"] for b in one["bins"]) > 1.5 * min(b["n"] for b in one["bins"])
    places = tab.run(DOTS % "#judged")
    bars = tab.run(BARS)
    assert len(places) == len(bars) == len(one["bins"]) >= 6
    for axis, name in ((0, "predicted"), (1, "observed")):
        assert affine([place[axis] for place in places], [b[name] for b in one["bins"]]) < 0.6
    assert max(abs(x - place[0]) for (x, _), place in zip(bars, places, strict=True)) < 0.6
    heights = [height / bin["n"] for (_, height), bin in zip(bars, one["bins"], strict=True)]
    assert max(heights) == pytest.approx(min(heights), rel=0.02)
    clear = tab.run("document.querySelector('#judged').getBoundingClientRect().right")
    assert clear <= width


def test_a_table_is_sorted_from_the_keyboard(tab: Tab, page: Path) -> None:
    tab.open(page)
    tab.run("document.querySelector('#matrix').parentElement.focus()")
    column = (
        "[...document.querySelectorAll('#matrix tbody tr')].map((r) => r.cells[1].dataset.value)"
    )
    for _ in range(2):
        tab.press("Tab")
    assert tab.run("document.activeElement.className") == "sorter"
    orders = []
    for key in ("Enter", " "):
        tab.press(key)
        orders.append([float(value) for value in tab.run(column) if value])
    assert orders == [sorted(orders[0]), sorted(orders[0], reverse=True)]
    assert tab.run("document.querySelector('#matrix th[aria-sort]').ariaSort") == "descending"


def test_every_control_is_reached_by_the_keyboard_and_shows_it(tab: Tab, page: Path) -> None:
    tab.open(page)
    tab.run("window.seen = new Set()")
    hidden: list[Any] = []
    for _ in range(600):
        tab.press("Tab")
        state = tab.run(
            "(() => { const e = document.activeElement; if (e === document.body) return 'end';"
            " const again = seen.has(e); seen.add(e); if (again) return 'again';"
            " const style = getComputedStyle(e);"
            " return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 ? '' : e.outerHTML.slice(0, 80); })()"
        )
        if state in ("end", "again"):
            break
        hidden += [state] if state else []
    assert hidden == []
    missed = tab.run(
        "[...document.querySelectorAll('a[href], button, select, summary')]"
        ".filter((e) => e.checkVisibility() && !seen.has(e)).map((e) => e.outerHTML.slice(0, 80))"
    )
    assert missed == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1300])
def test_axe_finds_nothing(tab: Tab, page: Path, width: int, dark: bool) -> None:
    tab.open(page, width, dark)
    tab.run(OPEN_ALL)
    assert violations(tab) == []


@pytest.mark.parametrize("width", [390, 1300])
def test_axe_finds_nothing_where_links_stand_in_columns(tab: Tab, write: Write, width: int) -> None:
    tab.open(write(ManyIntervals()), width)
    tab.run(OPEN_ALL)
    assert tab.run("document.querySelectorAll('details .method a').length") > 4
    assert violations(tab) == []


def test_axe_finds_nothing_in_the_index(tab: Tab, tmp_path: Path) -> None:
    case = Case()
    case.write(tmp_path)
    page = tmp_path / "index.html"
    page.write_text(index_page(tmp_path, {case.task: LossSpec(case.loss)}), encoding="utf-8")
    tab.open(page)
    assert violations(tab) == []
    assert tab.complaints() == []


def test_axe_would_find_pale_text(tab: Tab, page: Path) -> None:
    tab.open(page)
    tab.run("document.querySelector('h2').style.color = '#ddd'")
    assert [one.split(":")[0] for one in violations(tab)] == ["color-contrast"]


def test_it_prints_on_several_pages_in_light_colours(tab: Tab, page: Path) -> None:
    tab.open(page, dark=True)
    printed = base64.b64decode(tab.call("Page.printToPDF", printBackground=True)["data"])
    assert printed.startswith(b"%PDF")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 30
    tab.call("Emulation.setEmulatedMedia", media="print")
    ground = tab.run("getComputedStyle(document.body).backgroundColor")
    shown = tab.run("document.querySelector('header.top').checkVisibility()")
    tab.call("Emulation.setEmulatedMedia", media="")
    assert ground == "rgb(255, 255, 255)"
    assert not shown
