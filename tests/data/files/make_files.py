"""Writes the small reference files of this folder with SciPy: python3 make_files.py"""

import numpy as np
import scipy.io
import scipy.sparse

# Edges 0-1, 0-2, 1-3, 2-3, 3-4; node 2 also points at itself, and 4-5 is stored one way only.
network = np.zeros((6, 6))
for i, j in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]:
    network[i, j] = network[j, i] = 1
network[2, 2] = 1
network[4, 5] = 3
attributes = np.zeros((6, 7))
words = np.array([[1, 0, 0, 2], [0, 3, 0, 0], [0, 0, 0, 0], [4, 0, 5, 0], [0, 0, 6, 7], [0, 0.5, 0, -8]])
treatment = np.array([0, 1, 0, 1, 1, 0])
y1 = np.array([10, 11.5, 12, 13, 14, 15.25])
y0 = np.array([0, 1, 2.5, 3, 0, -5.75])
label = np.array(["a", "bc"], dtype=object)

sparse = dict(
    Label=label,
    Network=scipy.sparse.csc_matrix(network),
    Attributes=scipy.sparse.csc_matrix(attributes),
    X_100=scipy.sparse.csc_matrix(words),
    T=treatment.reshape(6, 1).astype(float),
    Y1=y1.reshape(6, 1),
    Y0=y0.reshape(6, 1),
)
dense = dict(
    T=treatment.reshape(1, 6).astype(np.int16),
    Y0=y0.reshape(1, 6),
    Y1=y1.reshape(1, 6),
    Network=network.astype(np.uint8),
    Attributes=words,
)
for compressed in (False, True):
    suffix = "_compressed" if compressed else ""
    scipy.io.savemat(f"sparse{suffix}.mat", sparse, do_compression=compressed)
    scipy.io.savemat(f"dense{suffix}.mat", dense, do_compression=compressed)
scipy.io.savemat("raw_network.mat", dict(Network=network != 0, Attributes=words))

csr = scipy.sparse.csr_matrix(words)
scipy.sparse.save_npz("csr.npz", csr)
scipy.sparse.save_npz("csr_stored.npz", csr, compressed=False)
single = csr.astype(np.float32)
single.indices = single.indices.astype(np.int64)
single.indptr = single.indptr.astype(np.int64)
scipy.sparse.save_npz("csr_float32_int64.npz", single)
scipy.sparse.save_npz("csr_bool.npz", csr.astype(bool))
scipy.sparse.save_npz("csr_int16.npz", (2 * csr).astype(np.int16))
scipy.sparse.save_npz("csc.npz", csr.tocsc())
unsorted = csr.copy()
for begin, end in zip(unsorted.indptr, unsorted.indptr[1:]):
    unsorted.indices[begin:end] = unsorted.indices[begin:end][::-1]
    unsorted.data[begin:end] = unsorted.data[begin:end][::-1]
scipy.sparse.save_npz("csr_unsorted.npz", unsorted)
