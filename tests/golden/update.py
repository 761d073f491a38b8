#!/usr/bin/env python3
"""Writes the golden records anew. Look at the difference before you commit it.

    tests/golden/update.py            # all of them, with build/release/bin/cone or $CONE_BINARY
    tests/golden/update.py coupons    # one
"""

import json
import pathlib
import sys

from cases import CASES, FOLDER, differences, evaluate

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import compact_json  # noqa: E402


def main():
    for name in sys.argv[1:] or CASES:
        record, outcome_sd = evaluate(name)
        path = FOLDER / f"{name}.json"
        old = json.loads(path.read_text())["record"] if path.exists() else {}
        changed = differences(old, record, record, outcome_sd)
        golden = {"outcome_sd": outcome_sd, "record": record}
        path.write_text(compact_json.dumps(golden))
        print(f"{path.name}: {len(changed)} differences beyond the tolerances")
        for line in changed[:10]:
            print(f"  {line}")


if __name__ == "__main__":
    main()
