"""The trial of a host's commands (`make host`) itself: it would see what it looks for."""

from __future__ import annotations

from tests.host import releases
from tests.host.players import Acknowledged


def test_a_lost_seal_or_message_is_seen_and_one_that_stands_there_twice() -> None:
    kept = Acknowledged({("m", 0, "A"): "1f", ("m", 0, "B"): ""})
    kept.said["m"].add("Hello")
    rows, texts = [("m", 0, "A", "1f"), ("m", 0, "B", "2e"), ("m", 1, "A", "")], [("m", "Hello")]
    assert kept.missing(rows, texts) == []
    assert len(kept.missing(rows[1:], texts)) == 1
    assert len(kept.missing([("m", 0, "A", "other"), *rows[1:]], texts)) == 1
    assert len(kept.missing([rows[0], ("m", 0, "B", "")], texts)) == 1
    assert len(kept.missing(rows, [])) == 1
    assert len(kept.missing(rows, texts * 2)) == 1


def test_a_release_is_found_by_its_tag_or_by_the_commit_that_the_page_names() -> None:
    head = releases.git("rev-parse", "HEAD")
    assert releases.Release("2000.01.01", head[:10]).found() == head
    assert releases.Release("2000.01.01", "0" * 40).found() == ""
    for release in releases.promised():
        assert release.commit or release.found(), f"{release.version} has neither a tag nor a commit"
