"""Checks that the compiled engine computes what its source says, rounding step by step.

usage: instructions.py LIBRARY

Reports instructions that multiply and add with one rounding, or that estimate a reciprocal or a root: with any of them
SIMD levels, compilers and machines would differ in the last bits. Exit code 1 if there are any, 77 if there is no
objdump or the library is for another processor.
"""

import re
import subprocess
import sys

FORBIDDEN = re.compile(r"\t(vfn?m(?:add|sub)\w*|vfmaddsub\w*|vfmsubadd\w*|v?rcp\w*|v?rsqrt\w*)\b")
SKIPPED = 77


def main() -> int:
    try:
        text = subprocess.run(
            ["objdump", "--disassemble", "--no-show-raw-insn", sys.argv[1]], capture_output=True, check=True, text=True
        ).stdout
    except FileNotFoundError:
        print("no objdump")
        return SKIPPED
    if "x86-64" not in text:
        print("not for x86-64")
        return SKIPPED
    if not re.search(r"\tv?mulps\b", text):
        print("no arithmetic found: is this the engine?")
        return 1
    function = ""
    found = 0
    for line in text.splitlines():
        if line.endswith(">:"):
            function = line
        elif match := FORBIDDEN.search(line):
            found += 1
            print(f"{match.group(1)} in {function}")
    print(f"{found} forbidden instructions")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
