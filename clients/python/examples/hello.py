"""A thousand agents, each with a goal somewhere else in the crowd. Needs a throngd on localhost:50051."""

import asyncio

import numpy as np

import throng


async def main() -> None:
    places = 4.0 * np.argwhere(np.ones((40, 25)))  # [m] 1,000 of them, in rows
    goals = np.random.default_rng(1).permutation(places)
    async with throng.connect("localhost:50051") as server:
        world = await server.create_world("hello", time_scale=4, idle_time_to_live=60)
        await world.add_agents(places, radius=0.3, max_speed=1.8)
        async with world.session() as session:
            async for frame in session.frames():
                way = goals - frame.positions
                distance = np.linalg.norm(way, axis=1, keepdims=True)
                await session.steer(1.5 * way / np.maximum(distance, 1))  # [m/s], slower within the last metre
                print(f"\r{frame.time:6.1f} s: {np.sum(distance < 0.5):4d} of {len(frame)} are there", end="")
                if np.all(distance < 0.5):
                    break
        await world.delete()
    print()


if __name__ == "__main__":
    asyncio.run(main())
