"""The formulas of the estimators as plain functions of arrays.

treatment holds the arm of every node, numbered from 0 (the control arm). policy, propensity and mu
have one row per node and one column per arm; of two arms, a single column of policy and of propensity
is about arm 1. Every function returns the value with its standard error, which takes the nuisances
as given and the nodes as independent, and each node's influence.

>>> snips([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5] * 4).value
4.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._core import Error, formulas

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = ["Cautious", "Value", "clip_weights", "dm", "dr", "dr_cautious", "dr_scores", "dr_shrinkage",
           "effective_sample_size", "importance_weights", "ips", "ips_clipped", "naive", "shrink_weights",
           "snips", "switch_dr", "switch_weights"]


class Value(NamedTuple):
    """A value with its standard error and each node's first-order contribution to it."""

    value: float
    standard_error: float
    influence: Floats


def _value(found: tuple[float, Floats]) -> Value:
    value, influence = found
    n = len(influence)
    error = float(influence.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return Value(float(value), error, influence)


def _numbers(name: str, values: Any) -> Floats:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise Error(f"{name}: has shape {array.shape}; bring one number per node")
    return array


def _table(name: str, values: Any, num_nodes: int) -> Floats:
    """Nodes × arms; one column is the probability of arm 1."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1):
        second = array.reshape(-1)
        array = np.column_stack([1 - second, second])
    if array.ndim != 2 or len(array) != num_nodes:
        raise Error(f"{name}: has shape {array.shape} where there are {num_nodes} nodes; bring one "
                    "row per node and one column per arm")
    if name == "policy" and not (np.all((array >= 0) & (array <= 1)) and
                                 np.allclose(array.sum(axis=1), 1, rtol=0, atol=1e-6)):
        raise Error("policy: has rows that are no probabilities of the arms; bring numbers from 0 to 1 "
                    "that sum to 1 in every row")
    return np.ascontiguousarray(array)


def _means(values: Any, num_nodes: int) -> Floats:
    """Expected outcomes: nodes × arms, at least two."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 2 or len(array) != num_nodes or array.shape[1] < 2:
        raise Error(f"mu: has shape {array.shape} where there are {num_nodes} nodes; bring one row "
                    "per node and one column per arm")
    return array


def _arms(values: Any) -> npt.NDArray[np.int64]:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "biu":
        raise Error("treatment: bring one whole number per node: arms are numbered from 0")
    return array.astype(np.int64)


def _same(**arrays: npt.NDArray[Any]) -> None:
    """Refuses arrays of different lengths, and tables of different widths."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise Error("arrays have different lengths: " +
                    ", ".join(f"{name} {length}" for name, length in lengths.items()))
    widths = {name: array.shape[1] for name, array in arrays.items() if array.ndim == 2}
    if len(set(widths.values())) > 1:
        raise Error("tables have different numbers of arms: " +
                    ", ".join(f"{name} {width}" for name, width in widths.items()))
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise Error(f"{name}: has values that are missing or not finite; leave the nodes out")


def importance_weights(treatment: Any, policy: Any, propensity: Any) -> Floats:
    """π_t / e_t: how much more often than the log a policy takes the arm that was taken.

    >>> importance_weights([0, 1, 1, 0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5]).tolist()
    [0.0, 4.0, 2.0, 0.0]
    """
    arms = _arms(treatment)
    pi = _table("policy", policy, len(arms))
    e = _table("propensity", propensity, len(arms))
    _same(treatment=arms, policy=pi, propensity=e)
    taken = np.take_along_axis(e, arms.clip(0, e.shape[1] - 1)[:, None], axis=1)
    if (taken <= 0).any():
        raise Error(f"propensity: is {taken.min()} for an arm that was taken; it must be above 0")
    return formulas.importance_weights(arms, pi, e)


def clip_weights(weights: Any, clip: float = 10.0) -> Floats:
    """min(w, clip).

    >>> clip_weights([0.5, 20.0], clip=10).tolist()
    [0.5, 10.0]
    """
    return formulas.clipped_weights(_numbers("weights", weights), clip)


def switch_weights(weights: Any, threshold: float = 10.0) -> Floats:
    """w where it is at most the threshold, else 0.

    >>> switch_weights([0.5, 20.0], threshold=10).tolist()
    [0.5, 0.0]
    """
    return formulas.switched_weights(_numbers("weights", weights), threshold)


def shrink_weights(weights: Any, shrinkage: float = 10.0) -> Floats:
    """λw/(w² + λ).

    >>> shrink_weights([0.5, 20.0], shrinkage=100).tolist()
    [0.49875311720698257, 4.0]
    """
    return formulas.shrunk_weights(_numbers("weights", weights), shrinkage)


def effective_sample_size(weights: Any) -> float:
    """(Σw)²/Σw²: how many equally weighted nodes have the same variance.

    >>> effective_sample_size([1, 1, 2])
    2.6666666666666665
    """
    return formulas.effective_sample_size(_numbers("weights", weights))


def naive(treatment: Any, outcome: Any, policy: Any) -> Value:
    """Σ π̄_a·ȳ_a: takes the arms as comparable.

    >>> naive([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1]).value
    4.0
    """
    arms, y = _arms(treatment), _numbers("outcome", outcome)
    pi = _table("policy", policy, len(y))
    _same(treatment=arms, outcome=y, policy=pi)
    return _value(formulas.arm_means(arms, y, pi))


def ips(treatment: Any, outcome: Any, policy: Any, propensity: Any) -> Value:
    """Inverse propensity scoring: mean w·y.

    >>> ips([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5]).value
    5.5
    """
    y, w = _numbers("outcome", outcome), importance_weights(treatment, policy, propensity)
    _same(treatment=w, outcome=y)
    return _value(formulas.inverse_propensity(w, y))


def ips_clipped(treatment: Any, outcome: Any, policy: Any, propensity: Any,
                clip: float = 10.0) -> Value:
    """Inverse propensity scoring with weights of at most clip.

    >>> ips_clipped([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...             clip=3).value
    4.75
    """
    y = _numbers("outcome", outcome)
    w = clip_weights(importance_weights(treatment, policy, propensity), clip)
    _same(treatment=w, outcome=y)
    return _value(formulas.inverse_propensity(w, y))


def snips(treatment: Any, outcome: Any, policy: Any, propensity: Any) -> Value:
    """Self-normalised inverse propensity scoring: Σwy / Σw.

    >>> snips([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5]).value
    3.6666666666666665
    """
    y, w = _numbers("outcome", outcome), importance_weights(treatment, policy, propensity)
    _same(treatment=w, outcome=y)
    return _value(formulas.self_normalised(w, y))


def dm(policy: Any, mu: Any) -> Value:
    """The direct method: mean of Σ_a π_a·μ_a. Its error takes the model as exact.

    >>> dm(policy=[1, 1, 1, 1], mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]]).value
    3.5
    """
    m = _means(mu, len(mu))
    pi = _table("policy", policy, len(m))
    _same(policy=pi, mu=m)
    return _value(formulas.direct_method(formulas.expected_outcome(pi, m)))


def _parts(treatment: Any, outcome: Any, policy: Any, propensity: Any,
           mu: Any) -> tuple[Floats, Floats, Floats]:
    arms, y = _arms(treatment), _numbers("outcome", outcome)
    m, pi = _means(mu, len(y)), _table("policy", policy, len(y))
    _same(treatment=arms, outcome=y, policy=pi, mu=m)
    weights = importance_weights(arms, pi, propensity)
    return formulas.expected_outcome(pi, m), weights, formulas.residuals(arms, y, m)


def dr(treatment: Any, outcome: Any, policy: Any, propensity: Any, mu: Any,
       correction: str = "plain") -> Value:
    """Doubly robust: the direct method and a correction of residuals, "plain" (mean w·r),
    "self_normalised" (Σwr/Σw) or "literal" (that over n, as the paper prints it).

    >>> dr([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...    mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]]).value
    3.0
    """
    expected, w, r = _parts(treatment, outcome, policy, propensity, mu)
    return _value(formulas.doubly_robust(expected, w, r, correction))


def switch_dr(treatment: Any, outcome: Any, policy: Any, propensity: Any, mu: Any,
              threshold: float = 10.0) -> Value:
    """Doubly robust with weights above the threshold left out.

    >>> switch_dr([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...           mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]], threshold=3).value
    4.0
    """
    expected, w, r = _parts(treatment, outcome, policy, propensity, mu)
    return _value(formulas.doubly_robust(expected, switch_weights(w, threshold), r, "plain"))


def dr_shrinkage(treatment: Any, outcome: Any, policy: Any, propensity: Any, mu: Any,
                 shrinkage: float = 10.0) -> Value:
    """Doubly robust with optimistic shrinkage of the weights.

    >>> dr_shrinkage([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...              mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]], shrinkage=16).value
    3.4
    """
    expected, w, r = _parts(treatment, outcome, policy, propensity, mu)
    return _value(formulas.doubly_robust(expected, shrink_weights(w, shrinkage), r, "plain"))


class Cautious(NamedTuple):
    """Doubly robust with a correction that counts as far as it is no chance."""

    value: float
    correction: float
    correction_error: float
    factor: float


def dr_cautious(treatment: Any, outcome: Any, policy: Any, propensity: Any, mu: Any) -> Cautious:
    """The self-normalised correction times max(0, 1 − s²/c²): that of network_dr.

    >>> dr_cautious([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...             mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]]).factor
    0.0
    """
    return Cautious(*formulas.correct_cautiously(*_parts(treatment, outcome, policy, propensity, mu)))


def dr_scores(treatment: Any, outcome: Any, propensity: Any, mu: Any) -> Floats:
    """Nodes × arms: μ_a + 1{t=a}·(y − μ_a)/e_a. Differences of columns are scores of effects.

    >>> dr_scores([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], propensity=[0.5, 0.25, 0.5, 0.5], mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]])[1].tolist()
    [2.0, 0.0]
    """
    arms, y = _arms(treatment), _numbers("outcome", outcome)
    m, e = _means(mu, len(y)), _table("propensity", propensity, len(y))
    _same(treatment=arms, outcome=y, mu=m, propensity=e)
    return formulas.doubly_robust_scores(arms, y, m, e)
