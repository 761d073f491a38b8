#!/usr/bin/env python3
"""Bundles the shared libraries that a wheel needs, for systems without Debian's packages.

    pip wheel --no-deps -w wheels .
    python3 scripts/bundle_wheel.py wheels/cone_policy-*.whl --out bundled     (needs patchelf)

They are placed beside libcone.so and libcone_lab.so. OpenBLAS is relinked from Debian's static libraries with only the functions
that libcone.so calls: kernels of all processors are kept, unused LAPACK is dropped. auditwheel would bundle
OpenBLAS, LAPACK and LAPACKE completely, and does not find libcone.so for the program. The C library and the
C++ run time, present on every Linux, are not bundled; the tag of the wheel is not changed.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

SYSTEM = re.compile(r"^(linux-vdso|ld-linux|libc\.|libm\.|libdl\.|libpthread\.|librt\.|libgcc_s|libstdc\+\+)")
#: Replaced by the relinked OpenBLAS.
ALGEBRA = re.compile(r"^(libopenblas|liblapacke|liblapack|libblas|libtmglib)\.so")


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True,
                          text=True).stdout


def needed(library):
    """(name, path) of every library that this one is linked with, directly or not."""
    for line in run("ldd", library).splitlines():
        words = line.split()
        if "=>" in words and len(words) > 3:
            yield words[0], pathlib.Path(words[2]).resolve()


def symbols(*words):
    """Names that a library defines or, with --undefined-only, imports."""
    return {line.split()[-1].partition("@")[0] for line in run("nm", "-D", *words).splitlines()}


def link_openblas(main, algebra, package):
    """Links the functions of OpenBLAS and LAPACKE that `main` calls into one library; returns its name."""
    openblas = next(name for name in algebra if name.startswith("libopenblas"))
    lapacke = next(name for name in algebra if name.startswith("liblapacke"))
    wanted = symbols("--undefined-only", main)
    wanted &= set().union(*(symbols("--defined-only", path) for path in algebra.values()))
    with tempfile.NamedTemporaryFile("w") as exports:
        exports.write("{ global: " + " ".join(f"{name};" for name in sorted(wanted)) + " local: *; };")
        exports.flush()
        run("cc", "-shared", "-o", package / openblas, *(f"-Wl,-u,{name}" for name in sorted(wanted)),
            f"-Wl,-soname,{openblas},--gc-sections,--version-script,{exports.name},-z,defs",
            algebra[lapacke].parent / "liblapacke.a", algebra[openblas].parent / "libopenblas.a",
            "-lgomp", "-lm", "-l:libgfortran.so.5")
    return openblas


def bundle(package):
    """Copies libraries into the folder of the package and sets the run paths."""
    main = package / "libcone.so"
    libraries = {name: path for name, path in needed(main) if not SYSTEM.match(name)}
    algebra = {name: path for name, path in libraries.items() if ALGEBRA.match(name)}
    others = {name: path for name, path in libraries.items() if name not in algebra}
    openblas = link_openblas(main, algebra, package)
    for name in run("patchelf", "--print-needed", main).split():
        if name in algebra and name != openblas:
            run("patchelf", "--remove-needed", name, main)
    for name, path in others.items():
        shutil.copyfile(path, package / name)
    names = sorted([openblas, *others])
    for library in [main, package / "libcone_lab.so", *(package / name for name in names)]:
        library.chmod(0o755)
        # DT_RPATH, which also applies to indirect dependencies
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", library)
        run("strip", "--strip-unneeded", library)
    return names


def write_record(folder):
    """The list of files with checksums that a wheel requires."""
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
    if shutil.which("patchelf") is None:
        sys.exit("patchelf is missing: install Debian's package, or pip install patchelf")
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
