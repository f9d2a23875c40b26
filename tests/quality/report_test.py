"""The tool as a user runs it: usage, the keys of the JSON file, numbers in their ranges, pictures that parse."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

KEYS = ["scene", "extensions", "agents", "arrived", "last_over_free", "deepest_overlap", "wall_crossings",
        "zigzag_per_agent_s", "idle_speed", "stalled", "flow"]
SCENES = ["head-on", "ring-4", "two-way-door", "concave-trap", "one-point"]
TOOL = sys.argv.pop()


def run(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        scenes = [word for scene in SCENES for word in ("--scene", scene)]
        cls.done = run(*scenes, "--seeds", "1", "--json", str(cls.path / "rows.json"), "--picture", str(cls.path / "pictures"))
        cls.rows = json.loads((cls.path / "rows.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_missed_bounds_are_no_error(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)

    def test_each_scene_stands_off_and_on(self):
        self.assertEqual([(row["scene"], row["extensions"]) for row in self.rows],
                         [(scene, extensions) for scene in SCENES for extensions in ("off", "on")])

    def test_keys(self):
        for row in self.rows:
            self.assertEqual(list(row)[:len(KEYS)], KEYS)

    def test_ranges(self):
        for row in self.rows:
            with self.subTest(row["scene"]):
                self.assertTrue(0 <= row["arrived"] <= 1)
                self.assertTrue(row["last_over_free"] is None or row["last_over_free"] > 0.9)
                self.assertTrue(0 <= row["deepest_overlap"] <= 1)
                self.assertEqual(row["wall_crossings"], 0)
                self.assertTrue(0 <= row["zigzag_per_agent_s"] < 10)
                self.assertTrue(0 <= row["idle_speed"] <= 2)
                self.assertTrue(0 <= row["stalled"] <= row["agents"])
                self.assertEqual(row["flow"] is None, row["scene"] != "two-way-door")

    def test_the_same_again(self):
        run("--scene", "ring-4", "--seeds", "1", "--json", str(self.path / "again.json"))
        again = json.loads((self.path / "again.json").read_text())
        self.assertEqual(again, [row for row in self.rows if row["scene"] == "ring-4"])

    def test_pictures(self):
        names = sorted(path.name for path in (self.path / "pictures").iterdir())
        self.assertEqual(names, sorted(f"{scene}-{extensions}.svg" for scene in SCENES for extensions in ("off", "on")))
        for name in names:
            root = xml.etree.ElementTree.parse(self.path / "pictures" / name).getroot()
            self.assertTrue(root.tag.endswith("svg"))

    def test_table_has_verdicts(self):
        self.assertIn("bounds", self.done.stdout)
        self.assertRegex(self.done.stdout, r"\d of 5 scenes reach all their bounds")

    def test_list_and_help(self):
        self.assertIn("town", run("--list").stdout)
        self.assertIn("usage", run("--help").stdout)

    def test_bad_usage(self):
        for arguments in (["--scene", "nowhere"], ["--seeds", "0"], ["--seeds"], ["--what"], ["--json", ""]):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn("cannot take", done.stderr)
        done = run("--scene", "one-point", "--seeds", "1", "--json", str(self.path / "no" / "such" / "folder"))
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
