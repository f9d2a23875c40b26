"""Checks compare.py."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import compare  # noqa: E402


def row(agents: int, engine_ns: float, twin_ns: float) -> dict:
    return {
        "scene": "crossing-25",
        "agents": agents,
        "threads": 1,
        "level": "scalar",
        "engine_ns": engine_ns,
        "twin_ns": twin_ns,
        "ratio": twin_ns / engine_ns,
    }


class CompareTest(unittest.TestCase):
    def run_on(self, before: list[dict], after: list[dict]) -> int:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            paths = [pathlib.Path(folder) / name for name in ("before.json", "after.json")]
            for path, rows in zip(paths, (before, after)):
                path.write_text(json.dumps({"rows": rows}))
            return compare.main([str(path) for path in paths])

    def test_slower_machine_is_no_fault(self) -> None:
        self.assertEqual(self.run_on([row(1000, 400.0, 800.0)], [row(1000, 600.0, 1200.0)]), 0)

    def test_lower_ratio_is_a_fault(self) -> None:
        self.assertEqual(self.run_on([row(1000, 400.0, 800.0)], [row(1000, 430.0, 800.0)]), 1)

    def test_missing_row_is_a_fault(self) -> None:
        self.assertEqual(self.run_on([row(1000, 1.0, 2.0), row(10, 1.0, 2.0)], [row(1000, 1.0, 2.0)]), 1)

    def test_other_files_are_refused(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(compare.main([__file__, __file__]), 2)
            self.assertEqual(compare.main(["no_such_file", "no_such_file"]), 2)


if __name__ == "__main__":
    unittest.main()
