"""Tests of the lints themselves, on small trees made for each case."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import docs  # noqa: E402
import layers  # noqa: E402
import portable  # noqa: E402

RULES = """
root low/include
root .
stack low/include low/src high
door thing/ low/src/door.*
door *.pb.h high/*
length 5
"""


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name: str, text: str):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class LayersTest(TreeTest):
    def problems(self) -> list[str]:
        rules = self.root / "rules.txt"
        rules.write_text(RULES)
        return layers.check(self.root, layers.read_rules(rules))

    def test_downwards_and_beside_is_fine(self):
        self.write("low/include/a.h", "#pragma once\n")
        self.write("low/src/b.h", '#include "a.h"\n')
        self.write("low/src/b.cc", '#include "b.h"\n#include <vector>\n')
        self.write("high/c.cc", '#include "low/src/b.h"\n#include "x.pb.h"\n')
        self.assertEqual(self.problems(), [])

    def test_upwards_is_refused(self):
        self.write("high/c.h", "#pragma once\n")
        self.write("low/src/b.cc", '#include "high/c.h"\n')
        self.assertEqual(self.problems(), ["low/src/b.cc:1: low/src may not include high (high/c.h)"])

    def test_a_door_is_the_only_way_in(self):
        self.write("low/src/door.cc", "#include <thing/x.h>\n")
        self.write("low/src/b.cc", "#include <thing/x.h>\n#include <v1/x.pb.h>\n")
        self.assertEqual(
            self.problems(),
            ["low/src/b.cc:1: thing/x.h has a door elsewhere", "low/src/b.cc:2: v1/x.pb.h has a door elsewhere"],
        )

    def test_a_cycle_is_found(self):
        self.write("high/a.h", '#include "high/b.h"\n')
        self.write("high/b.h", '#include "high/a.h"\n')
        self.assertEqual(self.problems(), ["cycle of includes: high/a.h -> high/b.h -> high/a.h"])

    def test_an_unknown_folder_is_refused(self):
        self.write("new/a.h", "\n")
        self.assertEqual(self.problems(), ["new/a.h: its folder has no place in the layers"])

    def test_a_long_file_is_refused(self):
        self.write("high/a.cc", "\n" * 6)
        self.assertEqual(self.problems(), ["high/a.cc: 6 lines, more than 5"])


class PortableTest(TreeTest):
    def test_machine_paths_and_registries_are_found(self):
        self.write("a.sh", "cd /" + "home/someone\n")
        self.write("b.txt", "https://" + "pypi" + ".org/simple\n")
        self.assertEqual(len(portable.check(self.root)), 2)

    def test_relative_paths_and_system_folders_are_fine(self):
        self.write("a.sh", "cd ./srv/x; ls /usr/local/bin $HOME/root/x /tmp/x build/home/x\n")
        self.assertEqual(portable.check(self.root), [])


class DocsTest(unittest.TestCase):
    CONFIG = 'ABSL_FLAG(std::int64_t, max_worlds, 1, "...");'
    METRICS = 'page.Count("throng_ticks_total", "...", ticks);'

    def test_all_told(self):
        readme = "### Flags\n| `--max-worlds` |\n### Metrics\n| `throng_ticks_total` |\n"
        self.assertEqual(docs.check(self.CONFIG, self.METRICS, readme), [])

    def test_what_is_missing_and_what_is_gone(self):
        readme = "### Flags\n| `--min-worlds` |\n### Metrics\n| `throng_tocks_total` |\n"
        self.assertEqual(len(docs.check(self.CONFIG, self.METRICS, readme)), 4)


if __name__ == "__main__":
    unittest.main()
