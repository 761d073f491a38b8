"""Writes the inputs that fuzzing starts from: /usr/bin/python3 make_corpus.py CONE_BINARY

Small, valid and of every kind that a reader tells apart; libFuzzer finds the invalid ones. Inputs
called find-* are ones that once broke a reader and stay as they are.
"""
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

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
                                               "--ridge-groups", "own,friends"]}.items():
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
    record = {"schema": "cone.unit/2", "status": "completed", "error": "", "seconds": 1.5,
              "result": {"loss": 0.25, "folds": [1, None], "name": "caf\u00e9"}, "version": "0.1.0"}
    put("unit_record", "completed", json.dumps(record))
    record.update(status="failed", error="out of luck", result=None)
    put("unit_record", "failed", json.dumps(record))


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
    people = [f"{name};{i % 2};{i}.5;{town};{late}\n" for i, (name, town, late) in enumerate(
        [("ann", "Bern", "True"), ("bob", "NA", "False"), ("cid", "Bern", ""), ("dot", "Rom", "True")])]
    header = "name;treatment;outcome;town;late\n"
    put("csv_folder", "gaps-indicate", header + "".join(people))
    put("csv_folder", "gaps-drop",
        header.replace("name", "id") + "".join(people) + "\x1efrom,to,weight\nann,dot,2\ncid,dot,1\n")
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
    tables()
    model(sys.argv[1])
