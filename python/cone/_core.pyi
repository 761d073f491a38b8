"""The compiled part (python/bindings)."""

from typing import Any, Optional, Protocol

import numpy as np
import numpy.typing as npt

from ._policies import Request

__version__: str
revision: str

_Floats = npt.NDArray[np.float64]
_Arms = npt.NDArray[np.int64]

class _Observer(Protocol):
    def enter(self, label: str, begin: float, end: float) -> None: ...
    def update(self, phase: str, done: int, total: int) -> None: ...

class Error(ValueError):
    kind: str
    faults: list[dict[str, str]]

def blas_kernels() -> tuple[str, Optional[str]]: ...
def write_table(names: list[str], columns: list[Any]) -> bytes: ...

def read_arrow(stream: object) -> tuple[list[str], list[Any]]: ...

class Dataset:
    @staticmethod
    def load(
        name: str, table: str, keep: list[str], threads: int, progress: Optional[_Observer]
    ) -> Dataset: ...
    @staticmethod
    def read_text(
        nodes: bytes,
        edges: Optional[bytes],
        table: str,
        keep: list[str],
        name: str,
        threads: int,
        progress: Optional[_Observer],
    ) -> Dataset: ...
    @staticmethod
    def read_arrays(
        arrays: dict[str, Any], threads: int, progress: Optional[_Observer]
    ) -> Dataset: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_edges(self) -> int: ...
    @property
    def arms(self) -> list[str]: ...
    @property
    def ids(self) -> list[str]: ...
    @property
    def left_out(self) -> list[str]: ...
    @property
    def treatment(self) -> npt.NDArray[np.uint8]: ...
    @property
    def outcome(self) -> _Floats: ...
    @property
    def weight(self) -> _Floats: ...
    @property
    def features(self) -> _Floats: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def sparse_features(
        self,
    ) -> tuple[_Floats, npt.NDArray[np.uint32], npt.NDArray[np.uint64]]: ...
    @property
    def edges(self) -> npt.NDArray[np.int64]: ...
    @property
    def propensity(self) -> Optional[_Floats]: ...
    @property
    def mu(self) -> Optional[_Floats]: ...
    @property
    def truth(self) -> Optional[_Floats]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def name(self) -> str: ...
    @property
    def checksum(self) -> str: ...
    def check_json(self) -> str: ...
    def check_text(self) -> str: ...

def report_html(records: list[str]) -> str: ...
def evaluate(
    dataset: Dataset,
    policies: list[Request],
    options: str,
    seed: int,
    threads: int,
    progress: Optional[_Observer],
) -> tuple[str, str]: ...
def learn(
    dataset: Dataset, options: str, seed: int, threads: int, progress: Optional[_Observer]
) -> dict[str, Any]: ...
def sensitivity(
    dataset: Dataset,
    policies: list[Request],
    against: Request,
    options: str,
    seed: int,
    threads: int,
    progress: Optional[_Observer],
) -> tuple[str, str]: ...
def simulate(
    folder: str, options: str, seed: int, threads: int, progress: Optional[_Observer]
) -> str: ...
def reproduce(
    what: str,
    data: str,
    out: str,
    options: str,
    seed: int,
    threads: int,
    progress: Optional[_Observer],
) -> dict[str, Any]: ...
def fit_ridge(
    dataset: Dataset, options: str, seed: int, threads: int, progress: Optional[_Observer]
) -> dict[str, Any]: ...
def fit_networks(
    dataset: Dataset,
    plan: str,
    options: str,
    propensity_bound: float,
    seed: int,
    threads: int,
    progress: Optional[_Observer],
) -> dict[str, Any]: ...

class formulas:
    @staticmethod
    def importance_weights(arm: _Arms, policy: _Floats, propensity: _Floats) -> _Floats: ...
    @staticmethod
    def clipped_weights(weights: _Floats, bound: float) -> _Floats: ...
    @staticmethod
    def switched_weights(weights: _Floats, threshold: float) -> _Floats: ...
    @staticmethod
    def shrunk_weights(weights: _Floats, shrinkage: float) -> _Floats: ...
    @staticmethod
    def effective_sample_size(weights: _Floats) -> float: ...
    @staticmethod
    def arm_means(arm: _Arms, outcome: _Floats, policy: _Floats) -> tuple[float, _Floats]: ...
    @staticmethod
    def inverse_propensity(weights: _Floats, outcome: _Floats) -> tuple[float, _Floats]: ...
    @staticmethod
    def self_normalised(weights: _Floats, outcome: _Floats) -> tuple[float, _Floats]: ...
    @staticmethod
    def expected_outcome(policy: _Floats, mu: _Floats) -> _Floats: ...
    @staticmethod
    def residuals(arm: _Arms, outcome: _Floats, mu: _Floats) -> _Floats: ...
    @staticmethod
    def direct_method(expected: _Floats) -> tuple[float, _Floats]: ...
    @staticmethod
    def doubly_robust(
        expected: _Floats, weights: _Floats, residual: _Floats, correction: str
    ) -> tuple[float, _Floats]: ...
    @staticmethod
    def correct_cautiously(
        expected: _Floats, weights: _Floats, residual: _Floats
    ) -> tuple[float, float, float, float]: ...
    @staticmethod
    def doubly_robust_scores(
        arm: _Arms, outcome: _Floats, mu: _Floats, propensity: _Floats
    ) -> _Floats: ...
