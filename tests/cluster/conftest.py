"""The throw-away SLURM of this folder's tests."""

from collections.abc import Iterator

import pytest
from packages import MissingError, install, install_plugins
from slurm import Slurm


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    """A running SLURM, stopped at the end whatever happens."""
    cluster = Slurm(tmp_path_factory.mktemp("slurm"))
    try:
        install()
        install_plugins(cluster.plugins)
        cluster.boot()
        yield cluster
    except MissingError as missing:
        pytest.fail(str(missing), pytrace=False)
    finally:
        cluster.stop()
