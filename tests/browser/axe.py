"""axe-core: what is wrong with a page for people who see, hear or move differently."""

from pathlib import Path

from browser.devtools import Tab

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(tab: Tab) -> list[str]:
    tab.run(AXE + ";0")
    found = tab.run(
        f"axe.run(document, {{runOnly: {RULES}, resultTypes: ['violations']}}).then((all) =>"
        " all.violations.map((one) => `${one.id}: ${one.nodes.map((n) => n.target).slice(0, 5).join(' ')}`))"
    )
    return list(found)
