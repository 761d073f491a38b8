#!/usr/bin/env python3
"""Puts the shared libraries that a wheel needs into it, each once: for systems without Debian's.

    pip wheel --no-deps -w wheels .
    python3 scripts/bundle_wheel.py wheels/cone_policy-*.whl --out bundled     (needs patchelf)

They go beside libcone.so, found from there. LAPACK's own library is left out: OpenBLAS has it too.
auditwheel would bundle both, and does not find libcone.so for the program. What every Linux has (the C
library and the C++ run time) is left out; the tag of the wheel stays that of this machine.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import tempfile
import zipfile

SYSTEM = re.compile(r"^(linux-vdso|ld-linux|libc\.|libm\.|libdl\.|libpthread\.|librt\.|libgcc_s|libstdc\+\+)")
IN_OPENBLAS = re.compile(r"^(liblapack|libblas)\.so")


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True,
                          text=True).stdout


def needed(library):
    """(name, path) of every library that this one is linked with, directly or not."""
    for line in run("ldd", library).splitlines():
        words = line.split()
        if "=>" in words and len(words) > 3:
            yield words[0], pathlib.Path(words[2]).resolve()


def bundle(package):
    """Copies libraries into the folder of the package and points everything there."""
    main = package / "libcone.so"
    libraries = {name: path for name, path in needed(main)
                 if not SYSTEM.match(name) and not IN_OPENBLAS.match(name)}
    openblas = next(name for name in libraries if name.startswith("libopenblas"))
    for name, path in libraries.items():
        shutil.copyfile(path, package / name)
    for library in [main, *(package / name for name in libraries)]:
        library.chmod(0o755)
        names = run("patchelf", "--print-needed", library).split()
        for name in filter(IN_OPENBLAS.match, names):
            if library.name == openblas or openblas in names:
                run("patchelf", "--remove-needed", name, library)
            else:
                run("patchelf", "--replace-needed", name, openblas, library)
                names.append(openblas)
        # DT_RPATH, which counts for libraries of libraries too
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", library)
        run("strip", "--strip-unneeded", library)
    return sorted(libraries)


def write_record(folder):
    """The list of files with their checksums, as a wheel must have it."""
    record = next(folder.glob("*.dist-info/RECORD"))
    lines = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path == record:
            continue
        digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=")
        lines.append(f"{path.relative_to(folder)},sha256={digest.decode()},{path.stat().st_size}")
    lines.append(f"{record.relative_to(folder)},,")
    record.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run("unzip", "-q", options.wheel, "-d", folder)
        names = bundle(folder / "cone")
        write_record(folder)
        options.out.mkdir(parents=True, exist_ok=True)
        out = options.out / options.wheel.name
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder))
    print(f"wrote {out}: {out.stat().st_size / 1e6:.1f} MB with {', '.join(names)}")


if __name__ == "__main__":
    main()
