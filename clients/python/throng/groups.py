"""Groups on the caller's side: blocks that keep their formation, and crowds that come home. They make preferred
velocities for `Session.steer`; the server knows nothing of groups.

    block = Formation(slots, way=[(0, 0), (18, 0), (22, 0), (40, 0)], widths=[9, 2, 2, 9], speed=1.0)
    while not block.finished:
        await session.steer(block.velocities(session.frame.positions, time_step))
        frame = await session.step()
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float32]
_Doubles = NDArray[np.float64]


def homeward(positions: ArrayLike, homes: ArrayLike, speed: float, time_step: float) -> FloatArray:
    """Preferred velocities [m/s], shape (n, 2), of agents at `positions` that go home at `speed` and stay there.

    positions, homes: [m] shape (n, 2), in the same order. speed: [m/s]; time_step: [s] of the world, so that nobody
    passes its home within a step.
    """
    way = np.asarray(homes, np.float64) - np.asarray(positions, np.float64)
    distance = np.hypot(way[:, 0], way[:, 1])[:, None]
    pace = np.minimum(speed, distance / time_step)
    return (way * np.divide(pace, distance, out=np.zeros_like(pace), where=distance > 0)).astype(np.float32)


class Formation:
    """Agents that keep their slots in a block, which moves along a way and is narrower where the way is.

    The block's middle waits for who falls behind, so all arrive together. One speed for all: that of the slowest.
    """

    def __init__(
        self,
        slots: ArrayLike,
        way: ArrayLike,
        widths: ArrayLike | None = None,
        speed: float = 1.0,
        patience: float = 2.0,
    ) -> None:
        """A block at the begin of its way.

        slots: [m] shape (n, 2), relative to the block's middle: ahead and to the left.
        way: [m] shape (m, 2), at least two points, that the block's middle passes; the first is where it is.
        widths: [m] shape (m,), room for the outermost slots at each point, in between in proportion; None: enough.
        speed: [m/s] of the slowest. patience: [m] by which the farthest may be off its slot before the block stands.
        Raises ValueError where shapes do not fit.
        """
        self._slots = np.asarray(slots, np.float64)
        self._way = np.asarray(way, np.float64)
        if self._slots.ndim != 2 or self._slots.shape[1] != 2:
            raise ValueError(f"slots: shape {self._slots.shape}, must be (n, 2)")
        if self._way.ndim != 2 or self._way.shape[1] != 2 or len(self._way) < 2:
            raise ValueError(f"way: shape {self._way.shape}, must be (m, 2) with m >= 2")
        legs = np.hypot(*np.diff(self._way, axis=0).T)
        if not np.all(legs > 0):
            raise ValueError("way: a point is repeated")
        self._marks = np.concatenate([[0.0], np.cumsum(legs)])
        self._headings = np.diff(self._way, axis=0) / legs[:, None]
        block_width = 2.0 * float(np.max(np.abs(self._slots[:, 1]), initial=0.0))
        if widths is None:
            self._squeeze = np.ones(len(self._way))
        else:
            room = np.asarray(widths, np.float64)
            if room.shape != (len(self._way),) or not np.all(room > 0):
                raise ValueError(
                    f"widths: shape {room.shape}, must be positive and one for each of {len(self._way)} points"
                )
            self._squeeze = np.minimum(1.0, room / block_width) if block_width > 0 else np.ones(len(self._way))
        self._speed = speed
        self._patience = patience
        self._gone = 0.0

    @property
    def finished(self) -> bool:
        """Whether the block's middle is at the end of its way; the last may still be on theirs."""
        return self._gone >= float(self._marks[-1])

    def slots(self) -> FloatArray:
        """[m] shape (n, 2): where each agent is to be now. Where the block is squeezed it is as much longer."""
        squeezed = float(np.interp(self._gone, self._marks, self._squeeze))
        along = self._gone + self._slots[:, 0] / squeezed
        # Before its begin and beyond its end the way goes straight on.
        leg = np.clip(np.searchsorted(self._marks, along, side="right") - 1, 0, len(self._headings) - 1)
        ahead = self._headings[leg]
        left = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
        lateral = self._slots[:, 1] * np.interp(along, self._marks, self._squeeze)
        places = self._way[leg] + (along - self._marks[leg])[:, None] * ahead + lateral[:, None] * left
        return np.asarray(places, np.float32)

    def velocities(self, positions: ArrayLike, time_step: float) -> FloatArray:
        """Moves the block on by one step and gives the preferred velocities [m/s], shape (n, 2), that follow it.

        positions: [m] shape (n, 2), in the order of the slots. time_step: [s] of the world.
        """
        here = np.asarray(positions, np.float64)
        if here.shape != self._slots.shape:
            raise ValueError(f"positions: shape {here.shape}, must be {self._slots.shape}")
        off = np.hypot(*(self.slots() - here).T)
        pace = max(0.0, 1.0 - float(np.max(off, initial=0.0)) / self._patience)
        self._gone = min(self._gone + self._speed * pace * time_step, float(self._marks[-1]))
        return homeward(here, self.slots(), self._speed, time_step)
