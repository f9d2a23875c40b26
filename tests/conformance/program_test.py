"""Checks what throng_conformance says and how it exits.

usage: program_test.py PROGRAM DATA_FOLDER
"""

import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
DATA = pathlib.Path()


def run(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)


def one_step_records() -> list[dict]:
    with gzip.open(DATA / "one_step-1.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


class ProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "records.jsonl"

    def replay(self, records: list[dict]) -> subprocess.CompletedProcess:
        self.path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return run(self.path)

    def counts(self, output: str) -> list[tuple[str, ...]]:
        return re.findall(r": (engine|twin): scenes (\d+), checked (\d+), skipped (\d+), mismatched (\d+)", output)

    def test_good_records_agree(self) -> None:
        records = one_step_records()[:5]
        agents = [agent for record in records for agent in record["expected"]]
        skipped = sum(any(flag in agent for flag in ("ill_conditioned", "edge_cut", "over_speed")) for agent in agents)
        result = self.replay(records)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        line = ("5", str(len(agents) - skipped), str(skipped), "0")
        self.assertEqual(self.counts(result.stdout), [("engine", *line), ("twin", *line)])

    def test_wrong_velocity_is_a_mismatch(self) -> None:
        records = one_step_records()[:1]
        records[0]["expected"][0]["velocity"][0] += 0.01
        result = self.replay(records)
        self.assertEqual(result.returncode, 1)
        self.assertEqual([count[-1] for count in self.counts(result.stdout)], ["1", "1"])
        self.assertIn("agent 0: position", result.stdout)

    def test_wrong_neighbor_count_is_a_mismatch(self) -> None:
        records = one_step_records()[:1]
        records[0]["expected"][0]["neighbors"] += 1
        self.assertEqual(self.replay(records).returncode, 1)

    def test_flagged_records_are_skipped(self) -> None:
        records = one_step_records()[:1]
        records[0]["expected"][0]["velocity"][0] += 1.0
        records[0]["expected"][0]["edge_cut"] = True
        self.assertEqual(self.replay(records).returncode, 0)

    def test_trajectory_off_by_more_than_tolerance_is_a_mismatch(self) -> None:
        records = [json.loads(line) for line in (DATA / "trajectories.jsonl").read_text().splitlines()]
        records = [record for record in records if record["name"] == "head_on"]
        self.assertEqual(self.replay(records).returncode, 0)
        records[0]["states"][-1]["position"][0][0] += 0.006
        self.assertEqual(self.replay(records).returncode, 1)

    def test_bad_usage(self) -> None:
        for arguments in ([], ["--nonsense"], [DATA / "no_such_file"], [DATA / "FORMAT.md"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertTrue(result.stderr)

    def test_help(self) -> None:
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("usage: throng_conformance FILE...", result.stdout)


if __name__ == "__main__":
    PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
