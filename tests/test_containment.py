"""Files that data names lie inside of their folder, whatever leads out of it, and whenever it is put there."""

from __future__ import annotations

import errno
import os
import pickle
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecore.containment import ContainedFile, LeadsOutsideError, to_file

SECRET, OWN = b"secret", b"own"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file in it, beside one with a secret, and every kind of link between them."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.png").write_bytes(SECRET)
    (inside / "sub" / "own.png").write_bytes(OWN)
    (inside / "linked.png").symlink_to(outside / "secret.png")
    (inside / "relative.png").symlink_to("../outside/secret.png")
    (inside / "twice.png").symlink_to("linked.png")
    (inside / "linked").symlink_to(outside, target_is_directory=True)
    (inside / "own.png").symlink_to("sub/own.png")
    (inside / "round.png").symlink_to("round.png")
    (tmp_path / "inside-too").mkdir()
    (tmp_path / "inside-too" / "secret.png").write_bytes(SECRET)
    return inside


@pytest.mark.parametrize(
    "name",
    [
        "../outside/secret.png",
        "sub/../../outside/secret.png",
        "{outside}/secret.png",
        "linked.png",
        "relative.png",
        "twice.png",
        "linked/secret.png",
        "sub/../linked/secret.png",
        "linked/../outside/secret.png",
        "../inside-too/secret.png",
        "../not-there.png",
        "..",
        "/",
        "//etc/hostname",
        "linked/not-there.png",
    ],
)
def test_a_name_that_leads_outside_is_refused_whether_the_file_is_there_or_not(folder: Path, name: str) -> None:
    named = name.format(outside=folder.parent / "outside")

    with pytest.raises(LeadsOutsideError, match="leads out of the folder") as caught:
        ContainedFile(folder, named).read_bytes()

    assert (caught.value.filename, str(folder) in str(caught.value.strerror)) == (named, True)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    "name", ["sub/own.png", "./sub//own.png", "own.png", "sub/../own.png", "{inside}/sub/own.png", "../inside/own.png"]
)
def test_a_name_that_stays_inside_is_read_through_links_that_stay_inside(folder: Path, name: str) -> None:
    assert ContainedFile(folder, name.format(inside=folder)).read_bytes() == OWN


@pytest.mark.parametrize("name", ["../outside/secret.png", "{outside}/secret.png", "linked.png", "linked/secret.png"])
def test_a_name_that_leads_outside_is_read_where_that_is_allowed(folder: Path, name: str) -> None:
    named = name.format(outside=folder.parent / "outside")

    assert ContainedFile(folder, named, allow_outside=True).read_bytes() == SECRET


def test_the_folder_itself_may_be_a_link(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)
    monkeypatch.chdir(folder)

    assert ContainedFile(link, "own.png").read_bytes() == ContainedFile(Path(), "own.png").read_bytes() == OWN


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("no.png", errno.ENOENT),
        ("sub/own.png/x", errno.ENOTDIR),
        ("sub", errno.EINVAL),
        (".", errno.EISDIR),
        ("", errno.EISDIR),
        ("pipe", errno.EINVAL),
        ("round.png", errno.ELOOP),
        ("nul\0.png", errno.EINVAL),
        ("half \ud83d.png", errno.EINVAL),
        ("x" * 5000, errno.ENAMETOOLONG),
    ],
)
def test_a_name_of_no_regular_file_is_an_os_error_and_does_not_block(folder: Path, name: str, kind: int) -> None:
    os.mkfifo(folder / "pipe")

    with pytest.raises(OSError) as caught:  # noqa: PT011 - errno is what is asserted
        ContainedFile(folder, name).read_bytes()

    assert caught.value.errno == kind


@given(name=st.text())
def test_no_name_at_all_reads_a_file_outside(name: str) -> None:
    # Nothing stands in this folder, so that whatever is read would be another's.
    with pytest.raises(OSError, match=r"."):
        ContainedFile(Path(__file__).parent / "no-such-folder", name).read_bytes()


def link(path: Path, to: str | Path) -> None:
    """Put a link at a path in one step."""
    path.with_name("new").symlink_to(to)
    path.with_name("new").replace(path)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_that_is_swapped_while_it_is_read_gives_its_own_file_or_an_error(folder: Path, what: str) -> None:
    place = folder / "swapped"
    outside, own = (
        (folder.parent / "outside" / "secret.png", "sub/own.png")
        if what == "file"
        else (folder.parent / "outside", "sub")
    )
    (folder / "sub" / "secret.png").write_bytes(OWN)
    link(place, own)
    name = "swapped" if what == "file" else "swapped/secret.png"
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            link(place, outside)
            link(place, own)

    thread = threading.Thread(target=swap)
    thread.start()
    read: list[bytes | None] = []
    try:
        # Until both were met, which a busy machine may put off.
        while len(read) < 3000 or len(set(read)) < 2:
            try:
                read.append(ContainedFile(folder, name).read_bytes())
            except OSError:
                read.append(None)
    finally:
        over.set()
        thread.join()

    assert SECRET not in read
    assert {OWN, None} == set(read)


@pytest.mark.parametrize("at", ["sub", "sub/own.png"])
def test_a_link_that_is_put_there_after_the_comparison_is_not_followed(
    folder: Path, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.parent / "outside" / "own.png").write_bytes(SECRET)
    resolve = ContainedFile.resolve

    def resolve_and_swap(self: ContainedFile) -> Path:
        found = resolve(self)
        (folder / at).rename(folder / "away")
        (folder / at).symlink_to(folder.parent / "outside" / at.removeprefix("sub").lstrip("/"))
        return found

    # The moment between comparison and use can't be chosen from outside.
    monkeypatch.setattr(ContainedFile, "resolve", resolve_and_swap)

    with pytest.raises(OSError) as caught:  # noqa: PT011 - errno is what is asserted
        ContainedFile(folder, "sub/own.png").read_bytes()

    assert caught.value.errno in (errno.ELOOP, errno.ENOTDIR)


def test_a_path_stays_what_it_is(tmp_path: Path) -> None:
    contained = ContainedFile(tmp_path, "x")

    assert to_file(contained) is contained
    assert to_file("x") == Path("x")
    assert Path(contained) == tmp_path / "x"
