"""The files that make the page of an audit.

Standard library only: the workflow imports this while it is parsed.
"""

import functools
from pathlib import Path

from heldout.names import digest
from heldout.report.assets import HERE as REPORT
from heldout.report.assets import assets_digest

HERE = Path(__file__).parent
SHARED = ("page.js", "tables.js", "charts.js")
"""Scripts of the report that the page uses too."""


@functools.cache
def audit_assets_digest() -> str:
    """Digest the templates, styles and scripts of the page, so that a change renders it again.

    Returns
    -------
    str
        A hexadecimal digest.

    Examples
    --------
    >>> audit_assets_digest() == audit_assets_digest()
    True
    """
    own = [HERE / "audit.html", HERE / "audit.js"]
    return digest(assets_digest(), *(file.read_bytes() for file in own))


def script() -> str:
    """The page's script: helpers of the report, then its own charts."""
    files = [*(REPORT / "assets" / name for name in SHARED), HERE / "audit.js"]
    body = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return f'"use strict";\n(() => {{\n{body}\n}})();'
