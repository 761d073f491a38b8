"""Writes the inputs that fuzzing starts from: /usr/bin/python3 make_corpus.py CONE_BINARY

Small, valid and of every kind that a reader tells apart; libFuzzer finds the invalid ones. Inputs
called find-* are ones that once broke a reader and stay as they are.
"""
import base64
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
FILES = HERE.parent / "data" / "files"
EXAMPLE = HERE.parent.parent / "examples" / "coupons"


def put(target, name, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def npy(kind, values, shape=None):
    """A .npy array; `kind` is NumPy's ("<i4") and says how to pack the values."""
    dimensions = f"({len(values)},)" if shape is None else shape
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {dimensions}, }}\n".encode()
    letter = {"i": "..h.i...q", "u": ".B", "f": "....f...d"}[kind[1]][int(kind[2:])]
    data = struct.pack(f"<{len(values)}{letter}", *values)
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def npz():
    for name in ("csr.npz", "csr_stored.npz", "csr_bool.npz"):
        put("npz", name, (FILES / name).read_bytes())
    # Arrays one after the other: the target packs them. [[1, 0, 2], [0, 0, 0], [0, 3, 0]]
    layout = npy("|u1", b"csr", "()").replace(b"|u1", b"|S3")
    for index in ("<i4", "<i8", "|u1"):
        for value in ("<f8", "<f4", "<i2"):
            put("npz", f"arrays-{index[1:]}-{value[1:]}",
                layout + npy("<i8", [3, 3]) + npy(index, [0, 2, 2, 3]) + npy(index, [0, 2, 1]) +
                npy(value, [1, 2, 3]))


def mat():
    for path in sorted(FILES.glob("*.mat")):
        put("mat", path.name, path.read_bytes())
    # The target compresses the variables of a file that starts with a C.
    put("mat", "to-compress", b"C" + (FILES / "sparse.mat").read_bytes()[1:])


def model(cone):
    with tempfile.TemporaryDirectory() as folder:
        small = ["--heads", "1", "--head-size", "1", "--hidden", "1", "--epochs", "2"]
        ridge = ["--folds", "2", "--parts", "network_ridge"]
        for name, flags in {"one-layer": [*small, "--folds", "2", "--parts", "networks"],
                            "split": [*small, "--protocol", "split", "--layers", "2"],
                            "mean": [*small, "--folds", "2", "--encoder", "mean"],
                            "ridge": ridge,
                            "ridge-per-fold": [*ridge, "--ridge-variances", "per_fold",
                                               "--ridge-groups", "own,neighbour_effects"]}.items():
            out = pathlib.Path(folder) / "model"
            subprocess.run([cone, "fit", EXAMPLE, "--out", out, "--quiet", *flags], check=True,
                           stdout=subprocess.DEVNULL)
            put("model", name, out.read_bytes())


def options():
    values = {"heads": 2, "head_size": 8, "layers": 1, "hidden": 32, "self_loops": False,
              "gamma": 0.1, "zeta": 1e-3, "learning_rate": 0.01, "dropout": 0, "epochs": 50}
    put("options", "tuned", json.dumps({"schema": "cone.options/1", "options": values,
                                        "tuning": {"note": "caf\u00e9", "units": [1, None, True]}}))
    put("options", "none", json.dumps({"schema": "cone.options/1", "options": {}}))


def unit_record():
    # The target puts identity and checksum.
    record = {"schema": "cone.unit/3", "status": "completed", "error": "", "seconds": 1.5,
              "result": {"loss": 0.25, "folds": [1, None], "name": "caf\u00e9"}, "version": "0.1.0"}
    put("unit_record", "completed", json.dumps(record))
    record.update(status="failed", error="out of luck", result=None)
    put("unit_record", "failed", json.dumps(record))


def report():
    verdict = {"verdict": "caution", "sentence": "look at it"}
    logged = {"name": "done", "is_logged": True, "value": 1.0, "interval": [1.0, 1.0],
              "sensitivity_interval": [None, None], "ranks": [1, 2], "may_be_best": True, "regret": 0.1}
    policy = dict(logged, name="p", is_logged=False, interval=[0.5, 1.5], gain=0.25, cost=0.1,
                  net_value=0.9, net_interval=[0.4, 1.4], net_sensitivity_interval=[0, 2],
                  gain_interval=[-0.25, 0.75], sensitivity_gain_interval=[-1, 1], sentence="p: better")
    estimate = {"estimator": "ips", "value": 1.25, "interval": [0.5, 2], "status": "caution",
                "sensitivity_interval": [0, 3], "warnings": ["few <units>"]}
    point = {"share": 0.5, "gain": 0.1, "interval": [0, 0.2], "joint_interval": [0, 0.3],
             "sensitivity_interval": [None, None]}
    diagnostics = {
        "num_evaluated_nodes": 9, "warnings": ["a note"], "verdicts": [{"name": "overlap", **verdict}],
        "overlap": [{"arm": "1", "in_arm": [1, 2], "other_arms": [0, 3], **verdict}],
        "weights": [{"policy": "p", "effective_sample_size": 5, "median": 1, "quantile_90": 2,
                     "quantile_99": 3, "max": 4, "heaviest_share": 0.2, **verdict}],
        "calibration": [{"arm": "1", "bins": [{"predicted": 0.4, "observed": 0.5, "num_nodes": 9}],
                         **verdict}],
        "balance": [{"arm": "1", "columns": [{"name": "age", "of": "neighbours", "before": 0.2,
                                              "after": None, "error": 0.1}], **verdict}],
        "residuals_by_degree": [{"outcome_model": "ridge", "groups": [
            {"degrees": [0, 3], "num_nodes": 9, "mean_residual": 0.1, "standard_error": 0.1}],
            **verdict}],
        "variance_shares": [{"arm": "1", "own": 0.5, "network": 0.3, "noise": 0.2, **verdict}],
        "stability": [{"policy": "p", "by_fold": [1, 2], "fold_p": 0.5, **verdict}],
        "outcome_models": [{"name": "ridge", "r_squared": 0.5, **verdict}]}
    record = {
        "schema": "cone.evaluation/5", "config": {"policies": ["p"], "data": "shop", "folds": 4},
        "data": {"num_nodes": 9, "arms": [{"label": "1", "num_nodes": 4}]}, "status": "completed",
        "policies": [{"name": "p", "truth": 1.1, "estimates": [estimate]}],
        "decision": {"estimator": "ips", "level": 0.95, "summary": "p may be best", "costs": {"1": 0.1},
                     "policies": [logged, policy], "differences": [
                         {"first": "p", "second": "done", "difference": 0.25, "p": 0.04,
                          "interval": [0, 1], "joint_interval": [0, 1]}]},
        "budget_curves": [{"ranking": "age", "sentence": "fine", "best_share": 0.5, "points": [point], "qini": {
            "value": 0.1, "interval": [0, 1], "p": 0.2}}],
        "network_sample": {"coloured_by": "effect", "edges": [[0, 1]], "nodes": [
            {"x": 0, "y": 1000, "group": 4, "id": "ada"}, {"x": 500, "y": 500, "group": None}]},
        "diagnostics": diagnostics}
    put("report", "evaluation-older", json.dumps(record))
    record["decision"]["target"] = "population"
    put("report", "evaluation", json.dumps(record))
    packed = base64.b64encode(zlib.compress(json.dumps([record, record]).encode())).decode()
    put("report", "page", "<!DOCTYPE html><template id=\"record\" data-encoding=\"zlib base64\">"
        + packed + "</template>")
    put("report", "sensitivity", json.dumps({
        "schema": "cone.sensitivity/2", "threshold": 0, "policies": [{
            "name": "p", "value": 1, "sentences": ["fine"], "marginal": {
                "lambda": [1, 2], "lower": [1, 0.5], "upper": [1, 1.5],
                "lower_standard_error": [0.1, 0.1], "upper_standard_error": [0.1, 0.1],
                "breakdown": 1.5, "breakdown_with_confidence": 1.2},
            "omitted_variable": {"scale_by_arm": 2, "robustness_value": 0.3, "benchmarks": [{
                "name": "age", "cf_y": 0.1, "cf_d": 0.2, "bias": 0.1, "times_to_explain_away": 2}]}}]}))
    value = {"name": "done", "value": 1, "sampling_interval": [0, 2], "gain": 1, "sampling_gain_interval": [0, 2],
             "treated_fraction": 0.5}
    put("report", "rule", json.dumps({
        "schema": "cone.policy/3", "verdict": "better", "summary": "fine", "rule": value,
        "comparisons": [{**value, "sensitivity_gain_interval": [-1, 3], "verdict": "conditional", "sentence": "fine"}],
        "tree": {"column": "age", "threshold": 3, "num_nodes": 9, "yes": {"arm": "0", "num_nodes": 4},
                 "no": {"arm": "1", "num_nodes": 5}}, "warnings": []}))
    put("report", "figure2", json.dumps({
        "schema": "cone.figure2/1", "values": [0.1, 1], "settings": [{
            "name": "net", "rmse": [[1, 2], [3, None]], "mae": [[1, 2], [3, 4]]}]}))


def tables():
    nodes = ('id,treatment,outcome,age,propensity,mu0,mu1,y0,y1,"height, cm"\n'
             'a,0,1.5,30,0.25,1,2,1.5,2.5,0\nb,1,-2e-3,0,0.5,1,2,-1,-2e-3,180.5\n'
             '"c,d",1.0, 7 ,41,1,1,2,6,7,-1\n\u00e9,0.0,+4,0,0,1,2,4,5,0\n')
    edges = 'source,target\na,b\nb,a\n"c,d",b\na,a\n\u00e9,a\n'
    features = 'node,feature,value\nb,word two,2\na,word one,1\nb,word one,0.5\n"c,d",zero,0\n'
    names = "feature\nword two\nword one\nzero\n"
    put("csv_folder", "all-files", "\x1e".join([nodes, edges, features, names]))
    put("csv_folder", "no-features", "\x1e".join([nodes, edges]))
    put("csv_folder", "windows", nodes.replace("\n", "\r\n") + "\r\n\x1e" + edges.rstrip())
    put("csv_folder", "packed", next(packed for packed in (
        gzip.compress((nodes + "\n" * blank).encode(), mtime=0) for blank in range(99))
        if b"\x1e" not in packed))
    # The target chooses by the length what becomes of missing values: 61 to 121 bytes take the
    # mean, 122 to 182 leave the line out.
    units = [f"{name};{i % 2};{i}.5;{town};{late}\n" for i, (name, town, late) in enumerate(
        [("ann", "Bern", "True"), ("bob", "NA", "False"), ("cid", "Bern", ""), ("dot", "Rom", "True")])]
    header = "name;treatment;outcome;town;late\n"
    put("csv_folder", "gaps-indicate", header + "".join(units))
    put("csv_folder", "gaps-drop",
        header.replace("name", "id") + "".join(units) + "\x1efrom,to,weight\nann,dot,2\ncid,dot,1\n")
    put("csv_folder", "arms", "id,treatment,outcome,mu:no,mu:app,mu:sms,propensity:app,propensity:sms,"
                              "y:no,y:app,y:sms\na,no,1,0,1,2,.25,.5,1,2,3\nb,app,2,0,1,2,.5,.125,1,2,3\n"
                              "c,sms,3,0,1,2,.25,.5,1,2,3\nd,no,1,0,1,2,0,.5,1,2,3\n")
    put("policy_table", "two", 'id,one,"two, too"\na,0,1\nb,0.5,0.25\n"c,d",1,1e-3\n\u00e9, 1 ,0\n')
    put("policy_table", "windows", "id,p\r\na,0\r\nb,1\r\n\"c,d\",0.5\r\n\u00e9,.5")
    # Inputs with a colon are about the arms control, 1 and two:2.
    put("policy_table", "by-arm", 'id,p:1,p:two:2,q:control,q:1,q:two:2\na,0,1,1,0,0\nb,0.5,0.25,0,0.5,0.5\n'
                                  '"c,d",1,0,0.25,0.25,0.5\n\u00e9, .5 ,0,0,0,1\n')
    put("policy_table", "labels", 'id,who\na,control\nb,1.0\n"c,d", two:2 \n\u00e9,Control\n')
    put("linear_policy", "both", 'feature,weight,neighbour_weight\n(intercept),0.5,0\nage,-1e-2,2\n'
                                 '"c,d",3,4\nword two,0,-1\n')
    put("linear_policy", "own", "feature,weight\n\u00e9,1\n")


if __name__ == "__main__":
    npz()
    mat()
    options()
    unit_record()
    report()
    tables()
    model(sys.argv[1])
