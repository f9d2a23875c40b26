"""A thousand agents on a circle, all of whom want to cross to the other side. Needs a throngd on localhost:50051."""

import asyncio

import numpy as np

import throng


async def main() -> None:
    angles = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    start = 120 * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    async with throng.connect("localhost:50051") as server:
        world = await server.create_world("hello", idle_time_to_live=60)
        await world.add_agents(start, radius=0.3, max_speed=2.0)
        async with world.session() as session:
            async for frame in session.frames():
                away = -start - frame.positions
                distance = np.linalg.norm(away, axis=1, keepdims=True)
                await session.steer(away / np.maximum(distance, 1) * 1.5)  # [m/s], slower within the last metre
                print(f"\r{frame.time:6.1f} s: {distance.mean():6.1f} m to go on average", end="")
                if distance.mean() < 1 or frame.time > 300:
                    break
        await world.delete()


if __name__ == "__main__":
    asyncio.run(main())
