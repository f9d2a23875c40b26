"""Checks what the benchmark's programs write: report_test.py THRONG_BENCH THRONG_BENCH_PHASES THRONG_BENCH_STEPS

Few agents and steps, so that it says nothing about speed; that engine, twin and all who must agree came to the same
state is throng_bench's own exit code.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH, PHASES, STEPS = "", "", ""
CROSSING = ("crossing-25", "crossing-60", "crossing-5")
PATHOLOGICAL = ("one-point", "line", "clusters-200", "far-pair", "far-pair-crowd")
DEFAULT = ("default-25", "default-town")
SCENES = CROSSING + ("worlds-1000", "town", "crossing-25-edges-4k", "crossing-25-edges-40k") + PATHOLOGICAL + DEFAULT
SMALL = ("--agents", "300", "--steps", "4", "--repeats", "1")


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, check=False)


def rows_of(*arguments: str) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.json"
        done = run(*arguments, "--json", str(path))
        if done.returncode != 0:
            raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
        return json.loads(path.read_text())


def levels() -> list[str]:
    """Levels of this machine."""
    return [level for level in ("scalar", "avx2", "avx512") if run("--level", level, *SMALL).returncode == 0]


class ReportTest(unittest.TestCase):
    def test_every_scene_has_a_row_with_its_figures(self) -> None:
        choice = [word for scene in SCENES for word in ("--scene", scene)]
        rows = rows_of(*choice, *SMALL)
        self.assertIsInstance(rows, list)
        self.assertEqual([row["scene"] for row in rows], list(SCENES))
        for row in rows:
            self.assertEqual((row["agents"], row["threads"]), (300, 1), row)
            self.assertEqual(row["level"], levels()[-1])
            for name in ("engine_ns", "bytes_per_agent"):
                self.assertGreater(row[name], 0.0, row)
            self.assertIn("heap_bytes_per_agent", row)  # 0 under a sanitizer that brings its own malloc
            self.assertRegex(row["state_hash"], "^[0-9a-f]{16}$")
            self.assertEqual("twin_ns" in row, "ratio" in row)
            self.assertEqual("base_ns" in row, "relative" in row)

    def test_twin_runs_where_it_can(self) -> None:
        for row in rows_of("--scene", "crossing-25", "--scene", "town", "--scene", "line", *SMALL):
            self.assertGreater(row["twin_ns"], 0.0)
            # Rounded to a tenth and to a hundredth.
            self.assertAlmostEqual(row["ratio"], row["twin_ns"] / row["engine_ns"], delta=0.01 * row["ratio"] + 0.01)

    def test_edges_are_counted(self) -> None:
        town, beside = rows_of("--scene", "town", "--scene", "crossing-25-edges-4k", *SMALL)
        self.assertEqual(town["edges"], 4 * 30 + 4)
        self.assertTrue(2.0 <= town["edges_in_range"] <= 3.0)
        self.assertEqual((beside["edges"], beside["edges_in_range"]), (4000, 0.0))
        for row in (town, beside):
            self.assertGreater(row["build_ms"], 0.0)
            self.assertGreater(row["edit_ms"], 0.0)

    def test_levels_and_threads_come_to_the_same_state(self) -> None:
        options = ("--agents", "2000", "--steps", "10", "--repeats", "1")
        rows = [row for level in levels() for row in rows_of("--level", level, *options)]
        rows += rows_of("--threads", "2", *options)
        self.assertEqual(len({row["state_hash"] for row in rows}), 1)
        self.assertEqual([row["level"] for row in rows[:-1]], levels())
        self.assertEqual((rows[-1]["threads"], rows[-1]["clock"], rows[-1]["base"]), (2, "wall", "one thread"))

    def test_building_edges_has_a_row(self) -> None:
        (row,) = rows_of("--scene", "build-40k", "--repeats", "1")
        self.assertEqual((row["scene"], row["edges"]), ("build-40k", 40000))
        for name in ("build_ms", "edit_ms", "step_ms"):
            self.assertGreater(row[name], 0.0)

    def test_context_stands_in_every_row(self) -> None:
        for row in rows_of("--context", "machine=some machine", "--context", "commit=1=2", *SMALL):
            self.assertEqual((row["machine"], row["commit"]), ("some machine", "1=2"))

    def test_default_run_has_the_rows_of_the_table(self) -> None:
        best, *others = reversed(levels())
        done = run("--list")
        self.assertEqual(done.returncode, 0)
        rows = {tuple(line.split()[:4]) for line in done.stdout.splitlines()}
        one_thread = {(scene, agents, "1", best) for scene, agents in (
            ("crossing-25", "1000"), ("crossing-25", "10000"), ("crossing-25", "100000"), ("crossing-25", "1000000"),
            ("crossing-60", "10000"), ("crossing-5", "10000"), ("worlds-1000", "100000"), ("town", "10000"),
            ("crossing-25-edges-4k", "10000"), ("crossing-25-edges-40k", "10000"), ("one-point", "100000"),
            ("line", "100000"), ("clusters-200", "100000"), ("far-pair", "2"), ("far-pair-crowd", "100000"),
            ("default-25", "10000"), ("default-town", "10000"), ("build-40k", "1"), ("build-400k", "1"))}
        other_levels = {("crossing-25", "10000", "1", level) for level in others}
        two_threads = {(scene, agents, "2", best) for scene, agents in (
            ("crossing-25", "10000"), ("crossing-25", "100000"), ("worlds-1000", "100000"))}
        self.assertEqual(rows, one_thread | other_levels | (two_threads if os.cpu_count() > 1 else set()))

    def test_bad_usage_is_refused(self) -> None:
        for bad in (("--scene", "no-such"), ("--agents", "0"), ("--level", "sse"), ("--steps",), ("--wrong", "1")):
            done = run(*bad)
            self.assertEqual(done.returncode, 2, bad)
            self.assertIn(bad[0], done.stderr)
        self.assertEqual(run(*SMALL, "--json", "/no/such/folder/file").returncode, 2)


class PhasesTest(unittest.TestCase):
    def test_phases_are_timed_and_written(self) -> None:
        best = levels()[-1]
        done = subprocess.run(
            [PHASES, f"--benchmark_filter=crossing-25/{best}|town/{best}", "--benchmark_format=json"],
            capture_output=True, text=True, check=True)
        rows = json.loads(done.stdout)["benchmarks"]
        names = {"/".join(row["name"].split("/")[:-4]): row for row in rows if "town" in row["name"]}
        self.assertEqual(
            set(names), {"index/sort", "index/keep", "index/edges", "solve/sort", "solve/keep", "move"})
        self.assertEqual(len(rows), 11)
        for row in rows:
            self.assertGreater(row["real_time"], 0.0)
            self.assertGreater(row["agent"], 0.0)

    def test_bad_usage_is_refused(self) -> None:
        self.assertEqual(subprocess.run([PHASES, "--wrong"], capture_output=True, check=False).returncode, 2)


class StepsTest(unittest.TestCase):
    def run_on(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([STEPS, *arguments], capture_output=True, text=True, check=False)

    def test_comes_to_the_state_of_the_report(self) -> None:
        (row,) = rows_of("--scene", "crossing-25", *SMALL)
        done = self.run_on("crossing-25", "300", row["level"], "20", "4")
        self.assertEqual(done.stdout.split(), [row["level"], row["state_hash"]])

    def test_bad_usage_is_refused(self) -> None:
        for bad in ((), ("no-such", "10", "scalar", "1", "1"), ("town", "0", "scalar", "1", "1")):
            self.assertEqual(self.run_on(*bad).returncode, 2)


if __name__ == "__main__":
    BENCH, PHASES, STEPS = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
