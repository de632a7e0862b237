"""The quick start with a wheel, in an empty folder: no checkout is in reach."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from harness import REPO, TIMEOUT, table_lines

SOURCES = ("workflow", "config", "data", "pyproject.toml", "setup.py", "MANIFEST.in", "README.md")
SOURCES += ("LICENSE", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "Snakefile", "check")
SOURCES += ("constraints.txt",)
BUILD = (
    "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"
)


def build(folder: Path, kind: str, output: Path) -> Path:
    """What setuptools builds in a folder, as pip would ask it to."""
    output.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", BUILD, f"build_{kind}", str(output)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [built] = output.iterdir()
    return built


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout without what earlier builds and runs have left."""
    folder = tmp_path_factory.mktemp("sources")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in SOURCES:
        if (REPO / name).is_dir():
            shutil.copytree(REPO / name, folder / name, ignore=ignored)
        else:
            shutil.copy(REPO / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(sources, "wheel", tmp_path_factory.mktemp("wheel"))


def content(wheel: Path) -> dict[str, tuple[bytes, int]]:
    """The files of a wheel, with what they may do."""
    with zipfile.ZipFile(wheel) as files:
        return {
            one.filename: (files.read(one), one.external_attr)
            for one in files.infolist()
            if not one.filename.endswith("RECORD")
        }


def test_a_wheel_holds_the_whole_workflow(wheel: Path) -> None:
    found = content(wheel)
    folder = REPO / "workflow"
    parts = [folder / "Snakefile", *folder.glob("rules/*"), *folder.glob("report/*")]
    parts += [*folder.glob("schemas/*"), *folder.glob("profiles/*/*")]
    parts = [part for part in parts if part.is_file()]
    assert len(parts) > 20
    for part in parts:
        text, attributes = found[f"heldout/workflow/{part.relative_to(folder).as_posix()}"]
        assert text == part.read_bytes()
        assert bool(attributes >> 16 & 0o100) == os.access(part, os.X_OK)


def test_an_sdist_builds_the_same_wheel(sources: Path, wheel: Path, tmp_path: Path) -> None:
    sdist = build(sources, "sdist", tmp_path / "sdist")
    shutil.unpack_archive(sdist, tmp_path / "unpacked")
    [folder] = (tmp_path / "unpacked").iterdir()
    assert content(build(folder, "wheel", tmp_path / "wheel")) == content(wheel)


def environment_with(wheel: Path, folder: Path) -> Path:
    """An environment with the wheel, and the libraries of this one; what is in it comes first.

    Installing all libraries anew takes minutes: `./check-versions` does that.
    """
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as files:
        files.extractall(packages)
    libraries = {path for path in sys.path if path.endswith("site-packages")}
    (packages / "libraries.pth").write_text("\n".join(libraries) + "\n")
    return folder / "bin" / "python"


def test_the_quick_start_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    python = environment_with(wheel, tmp_path / "environment")
    study = tmp_path / "study"
    study.mkdir()
    (study / "birds.csv").write_text("\n".join(table_lines()) + "\n")
    hidden = {"PYTHONPATH", "PYTHONSAFEPATH", "PYTHONDONTWRITEBYTECODE"}
    inherited = {name: value for name, value in os.environ.items() if name not in hidden}

    def call(*words: str) -> str:
        done = subprocess.run(
            [str(python), "-P", "-m", *words],
            cwd=study,
            env=inherited,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    where = "import heldout; print(heldout.__file__)"
    (study / "where.py").write_text(where)
    found = subprocess.run([python, study / "where.py"], env=inherited, capture_output=True)
    assert str(tmp_path / "environment") in found.stdout.decode()
    assert "then: heldout run" in call("heldout", "init", "birds.csv", "--target", "species")
    smaller(study / "config" / "config.yaml")
    assert "birds: not made yet" in call("heldout", "run", "-n")
    assert "results/birds/report.html" in call("heldout", "run", "--cores", "2")
    for name in ("report.html", "estimates.csv", "final/model.joblib"):
        assert (study / "results" / "birds" / name).is_file()
    call("heldout", "run", "--", "--report", "all.html")
    assert (study / "all.html").stat().st_size > 10_000


def smaller(config: Path) -> None:
    """The same config, with learners that take no time."""
    import yaml

    content = yaml.safe_load(config.read_text())
    content["tasks"]["birds"]["learners"] = ["majority", "tree"]
    content["learners"] = {one: content["learners"][one] for one in ("majority", "tree")}
    config.write_text(yaml.safe_dump(content))
