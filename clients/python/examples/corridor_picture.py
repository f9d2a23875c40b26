"""Draws a corridor seen from above, with Pillow."""

from __future__ import annotations

import dataclasses
import pathlib

import numpy as np
from PIL import Image, ImageDraw, ImageFont

_FINE = 4  # drawn so many times larger, then shrunk: smooth edges
_GROUND, _FLOOR, _WALL = (13, 17, 28), (23, 29, 45), (96, 108, 136)
_INK, _FAINT = (226, 232, 244), (126, 138, 164)
_RIGHT, _LEFT = (255, 176, 72), (72, 190, 255)


@dataclasses.dataclass
class Moment:
    """What is to be seen of one tick."""

    tick: int
    time: float
    positions: np.ndarray
    velocities: np.ndarray
    order: float


class Painter:
    """Draws moments of one run, `pixels` wide."""

    def __init__(self, length: float, width: float, radius: float, ways: np.ndarray, pixels: int) -> None:
        self._length, self._radius, self._ways = length, radius, ways
        self._scale = pixels * _FINE / length
        self._band = round(pixels * _FINE / 18)  # of text above and below
        self._size = (pixels, round((width * self._scale + 2 * self._band) / _FINE))
        self._wall = round(0.14 * self._scale)
        self._middle = np.array([self._size[0], self._size[1]]) * _FINE / 2
        self._half_height = width * self._scale / 2
        self._font = ImageFont.load_default(size=self._band * 0.5)

    def picture(self, moments: list[Moment], index: int, trails: int = 0) -> Image.Image:
        """The moment at `index`; `trails` is how many moments before it leave a fading track."""
        image = Image.new("RGB", (self._size[0] * _FINE, self._size[1] * _FINE), _GROUND)
        draw = ImageDraw.Draw(image)
        self._corridor(draw)
        for age in range(min(trails, index), 0, -1):
            self._track(draw, moments[index - age], moments[index - age + 1], 0.55 * (1 - age / (trails + 1)))
        self._agents(draw, moments[index])
        self._labels(draw, moments, index)
        return image.resize(self._size, Image.Resampling.LANCZOS)

    def _pixel(self, positions: np.ndarray) -> np.ndarray:
        return positions * (self._scale, -self._scale) + self._middle

    def _corridor(self, draw: ImageDraw.ImageDraw) -> None:
        right = self._size[0] * _FINE
        top, bottom = self._middle[1] - self._half_height, self._middle[1] + self._half_height
        draw.rectangle((0, top, right, bottom), fill=_FLOOR)
        draw.rectangle((0, top - self._wall, right, top), fill=_WALL)
        draw.rectangle((0, bottom, right, bottom + self._wall), fill=_WALL)

    def _track(self, draw: ImageDraw.ImageDraw, before: Moment, after: Moment, strength: float) -> None:
        begin, end = self._pixel(before.positions), self._pixel(after.positions)
        for (x0, y0), (x1, y1), way in zip(begin, end, self._ways):
            if abs(x1 - x0) < self._size[0]:  # not those who went back to the other end
                draw.line((x0, y0, x1, y1), _mixed(_FLOOR, _colour(way), strength), round(self._radius * self._scale))

    def _agents(self, draw: ImageDraw.ImageDraw, moment: Moment) -> None:
        radius = self._radius * self._scale
        speeds = np.linalg.norm(moment.velocities, axis=1, keepdims=True)
        ahead = moment.velocities / np.maximum(speeds, 1e-6) * (1, -1)
        for (x, y), (nx, ny), speed, way in zip(self._pixel(moment.positions), ahead, speeds[:, 0], self._ways):
            colour = _mixed(_FLOOR, _colour(way), 0.45 + 0.55 * min(1, speed / 1.2))  # who must wait is dim
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
            if speed > 0.05:
                nose, eye = 0.5 * radius, 0.26 * radius
                x, y = x + nx * nose, y + ny * nose
                draw.ellipse((x - eye, y - eye, x + eye, y + eye), fill=_GROUND)

    def _labels(self, draw: ImageDraw.ImageDraw, moments: list[Moment], index: int) -> None:
        moment, right, edge = moments[index], self._size[0] * _FINE, self._band * 0.35
        top, bottom = self._band * 0.45, self._size[1] * _FINE - self._band * 0.45
        draw.text((edge, top), f"{moment.time:.1f} s", _INK, self._font, "lm")
        draw.text((edge + 3.2 * self._band, top), f"tick {moment.tick}", _FAINT, self._font, "lm")
        walkers = f"{(self._ways > 0).sum()} walk right, {(self._ways < 0).sum()} walk left"
        draw.text((right - edge, top), walkers, _FAINT, self._font, "rm")
        draw.text((edge, bottom), f"lane order {moment.order:.2f}", _FAINT, self._font, "lm")
        self._curve(draw, moments, index, (edge + 4.9 * self._band, right - edge), bottom)

    def _curve(
        self, draw: ImageDraw.ImageDraw, moments: list[Moment], index: int, span: tuple[float, float], y: float
    ) -> None:
        """The lane order over the whole run, as far as it has come."""
        left, right = span
        height, width = self._band * 0.5, max(1, round(self._band / 14))
        draw.line((left, y + height / 2, right, y + height / 2), _mixed(_GROUND, _FAINT, 0.5), width)
        steps = np.linspace(left, right, len(moments))
        points = [(x, y + height / 2 - height * m.order) for x, m in zip(steps, moments[: index + 1])]
        if len(points) > 1:
            draw.line(points, _INK, width, joint="curve")
        x, y = points[-1]
        dot = 2.2 * width
        draw.ellipse((x - dot, y - dot, x + dot, y + dot), fill=_INK)


def save_animation(path: pathlib.Path, painter: Painter, moments: list[Moment], seconds_per_picture: float) -> None:
    """Writes a GIF that runs for ever and rests on its last picture."""
    pictures = [painter.picture(moments, index) for index in range(len(moments))]
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for colour in _few_colours() for channel in colour])
    indexed = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    durations = [round(1000 * seconds_per_picture)] * len(indexed)
    durations[-1] = 2000
    indexed[0].save(path, save_all=True, append_images=indexed[1:], duration=durations, loop=0, optimize=True)


def _few_colours() -> list[tuple[int, int, int]]:
    """What an animation is reduced to; fewer colours make a smaller file."""
    shades = [_mixed(_FLOOR, _colour(way), strength) for way in (-1, 1) for strength in (0.25, 0.45, 0.65, 0.82, 1)]
    return [_GROUND, _FLOOR, _WALL, _INK, _FAINT, _mixed(_GROUND, _FAINT, 0.5), *shades]


def _colour(way: float) -> tuple[int, int, int]:
    return _RIGHT if way > 0 else _LEFT


def _mixed(under: tuple[int, int, int], over: tuple[int, int, int], strength: float) -> tuple[int, int, int]:
    red, green, blue = (round(a + (b - a) * strength) for a, b in zip(under, over))
    return red, green, blue
