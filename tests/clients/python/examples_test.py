"""The examples that are more than a few lines, against the real server."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "clients" / "python" / "examples"


async def test_lanes_walks_a_crowd_and_draws_it(
    address: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    lanes = __import__("lanes")
    picture = sys.modules["corridor_picture"]
    from PIL import Image

    crowd, moments = await lanes.run(address, count=60, seconds=8, seed=1)
    assert [moment.tick for moment in moments] == list(range(0, 81, lanes.PICTURE_EVERY))
    walked = (moments[5].positions - moments[4].positions)[:, 0] * crowd.ways
    assert np.median(walked) > 0.8 * lanes.PICTURE_EVERY * lanes.TIME_STEP * lanes.SLOWEST
    painter = picture.Painter(lanes.LENGTH, lanes.WIDTH, lanes.RADIUS, crowd.ways, pixels=300)
    picture.save_animation(tmp_path / "lanes.gif", painter, moments, seconds_per_picture=0.1)
    with Image.open(tmp_path / "lanes.gif") as animation:
        assert animation.n_frames == len(moments)
        animation.seek(animation.n_frames - 1)
        colours = {colour for _, colour in animation.convert("RGB").getcolors(1 << 16)}
    assert {(255, 176, 72), (72, 190, 255)} <= colours  # both crowds are to be seen


async def test_escorts_guards_keep_their_places(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    gaps = await __import__("escort").run(address, bystanders=0)
    assert gaps.shape[1] == 8 and gaps.max() < 0.5 and gaps.mean() < 0.1
