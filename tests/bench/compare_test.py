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


def row(agents: int, engine_ns: float, twin_ns: float, **more: object) -> dict:
    return {
        "scene": "crossing-25",
        "agents": agents,
        "threads": 1,
        "level": "scalar",
        "engine_ns": engine_ns,
        "twin_ns": twin_ns,
        "ratio": twin_ns / engine_ns,
    } | more


BUILD = {"scene": "build-40k", "agents": 1, "threads": 1, "level": "scalar", "edges": 40000, "build_ms": 6.0,
         "build_target_ms": 5.0}


class CompareTest(unittest.TestCase):
    def setUp(self) -> None:
        self.printed = io.StringIO()

    def run_on(self, *reports: object, options: tuple[str, ...] = ()) -> int:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(self.printed):
            paths = []
            for number, rows in enumerate(reports):
                paths.append(pathlib.Path(folder) / f"{number}.json")
                paths[-1].write_text(json.dumps(rows))
            return compare.main([str(path) for path in paths] + list(options))

    def test_slower_machine_is_no_fault(self) -> None:
        self.assertEqual(self.run_on([row(1000, 400.0, 800.0)], [row(1000, 600.0, 1200.0)]), 0)

    def test_lower_ratio_is_a_fault(self) -> None:
        self.assertEqual(self.run_on([row(1000, 400.0, 800.0)], [row(1000, 430.0, 800.0)]), 1)

    def test_tolerance_is_an_option(self) -> None:
        rows = [row(1000, 400.0, 800.0)], [row(1000, 430.0, 800.0)]
        self.assertEqual(self.run_on(*rows, options=("--tolerance", "0.1")), 0)

    def test_higher_relative_cost_is_a_fault_and_lower_is_none(self) -> None:
        low, high = [row(1000, 1.0, 2.0, relative=1.0)], [row(1000, 1.0, 2.0, relative=1.2)]
        self.assertEqual(self.run_on(low, high), 1)
        self.assertEqual(self.run_on(high, low), 0)

    def test_more_memory_is_a_fault(self) -> None:
        rows = [row(1000, 1.0, 2.0, bytes_per_agent=140)], [row(1000, 1.0, 2.0, bytes_per_agent=160)]
        self.assertEqual(self.run_on(*rows), 1)

    def test_missing_row_or_figure_is_a_fault(self) -> None:
        self.assertEqual(self.run_on([row(1000, 1.0, 2.0), row(10, 1.0, 2.0)], [row(1000, 1.0, 2.0)]), 1)
        self.assertEqual(self.run_on([row(10, 1.0, 2.0, relative=1.0)], [row(10, 1.0, 2.0)]), 1)

    def test_rows_differ_by_size_and_threads(self) -> None:
        rows = [row(1000, 1.0, 2.0), row(10, 1.0, 9.0), row(10, 1.0, 5.0, threads=2)]
        self.assertEqual(self.run_on(rows, list(reversed(rows))), 0)

    def test_rows_without_a_twin_are_compared(self) -> None:
        self.assertEqual(self.run_on([BUILD], [BUILD | {"build_ms": 60.0}]), 0)
        self.assertIn("build_ms 6 -> 60", self.printed.getvalue())

    def test_one_report_is_printed_with_its_targets(self) -> None:
        self.assertEqual(self.run_on([row(10, 1.0, 12.5, ratio_target=12.0), BUILD]), 0)
        lines = self.printed.getvalue().splitlines()
        self.assertEqual(len(lines), 3)
        self.assertIn("12.50", lines[1])
        self.assertTrue(lines[1].endswith("ratio at least 12: reached"))
        self.assertTrue(lines[2].endswith("build_ms at most 5: MISSED"))

    def test_markdown_has_as_many_columns_in_each_line(self) -> None:
        self.assertEqual(self.run_on([row(10, 1.0, 12.5), BUILD], options=("--markdown",)), 0)
        self.assertEqual(len({line.count("|") for line in self.printed.getvalue().splitlines()}), 1)

    def test_other_files_are_refused(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(compare.main([__file__, __file__]), 2)
            self.assertEqual(compare.main(["no_such_file", "no_such_file"]), 2)
            self.assertEqual(self.run_on({"rows": [row(10, 1.0, 2.0)]}), 2)
            self.assertEqual(self.run_on([]), 2)


if __name__ == "__main__":
    unittest.main()
