"""The formulas of the estimators as plain functions of arrays.

treatment holds the arm of every node, numbered from 0 (the control arm). policy, propensity and mu
have one row per node and one column per arm; with two arms, a single column of policy or propensity
is that of arm 1. Every function returns the value with its standard error, which takes the nuisances
as known and the nodes as independent, and the influence function at each node.

>>> snips([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5] * 4).value
4.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from ._columns import as_array, as_numbers
from ._core import Error, formulas

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = ["Cautious", "Value", "clip_weights", "dm", "dr", "dr_cautious", "dr_scores", "dr_shrinkage",
           "effective_sample_size", "importance_weights", "ips", "ips_clipped", "naive", "shrink_weights",
           "snips", "switch_dr", "switch_weights"]


class Value(NamedTuple):
    """A value with its standard error and its influence function at each node."""

    value: float
    standard_error: float
    influence: Floats


def _value(found: tuple[float, Floats]) -> Value:
    value, influence = found
    n = len(influence)
    error = float(influence.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return Value(float(value), error, influence)


def _numbers(name: str, values: Any) -> Floats:
    array = as_numbers(values, name)
    if array.ndim != 1:
        raise Error(f"{name}: has shape {array.shape}; pass one number per node")
    return array


def _table(name: str, values: Any, num_nodes: int) -> Floats:
    """Nodes × arms; one column is the probability of arm 1."""
    array = as_numbers(values, name)
    if array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1):
        second = array.reshape(-1)
        array = np.column_stack([1 - second, second])
    if array.ndim != 2 or len(array) != num_nodes:
        raise Error(f"{name}: has shape {array.shape} where there are {num_nodes} nodes; pass one "
                    "row per node and one column per arm")
    if name == "policy" and not (np.all((array >= 0) & (array <= 1)) and
                                 np.allclose(array.sum(axis=1), 1, rtol=0, atol=1e-6)):
        raise Error("policy: has rows that are not probabilities of the arms; pass numbers from 0 to 1 "
                    "that sum to 1 in every row")
    return np.ascontiguousarray(array)


def _means(values: Any, num_nodes: int) -> Floats:
    """Predicted outcomes: nodes × arms, at least two."""
    array = as_numbers(values, "mu")
    if array.ndim != 2 or len(array) != num_nodes or array.shape[1] < 2:
        raise Error(f"mu: has shape {array.shape} where there are {num_nodes} nodes; pass one row "
                    "per node and one column per arm")
    return array


def _arms(values: Any) -> npt.NDArray[np.int64]:
    array = as_array(values, "treatment")
    if array.ndim != 1 or array.dtype.kind not in "biu":
        raise Error("treatment: pass one whole number per node, none of them missing: arms are numbered "
                    "from 0")
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


def _bound(name: str, value: float, allow_zero: bool = False) -> float:
    if not (0 < value < float("inf") or (allow_zero and value == 0)):
        raise Error(f"{name}: is {value}; pass a finite number {'from' if allow_zero else 'above'} 0")
    return value


def _usual_bound(policy: Any, weights: Floats) -> float:
    """The program's auto: 5 times the number of arms."""
    return 5.0 * _table("policy", policy, len(weights)).shape[1]


def importance_weights(treatment: Any, policy: Any, propensity: Any) -> Floats:
    """Importance weights π_t / e_t: the policy's probability of the logged arm over its propensity.

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


def clip_weights(weights: Any, clip: float) -> Floats:
    """min(w, clip).

    >>> clip_weights([0.5, 20.0], clip=10).tolist()
    [0.5, 10.0]
    """
    return formulas.clipped_weights(_numbers("weights", weights), _bound("clip", clip))


def switch_weights(weights: Any, switch_threshold: float) -> Floats:
    """w where it is at most the threshold, else 0 (Wang, Agarwal and Dudík 2017, Optimal and adaptive
    off-policy evaluation in contextual bandits).

    >>> switch_weights([0.5, 20.0], switch_threshold=10).tolist()
    [0.5, 0.0]
    """
    return formulas.switched_weights(_numbers("weights", weights),
                                     _bound("switch_threshold", switch_threshold))


def shrink_weights(weights: Any, shrinkage_lambda: float = 100.0) -> Floats:
    """λw/(w² + λ): optimistic shrinkage (Su, Dimakopoulou, Krishnamurthy and Dudík 2020, Doubly robust
    off-policy evaluation with shrinkage).

    >>> shrink_weights([0.5, 20.0], shrinkage_lambda=100).tolist()
    [0.49875311720698257, 4.0]
    """
    return formulas.shrunk_weights(_numbers("weights", weights),
                                   _bound("shrinkage_lambda", shrinkage_lambda, allow_zero=True))


def effective_sample_size(weights: Any) -> float:
    """(Σw)²/Σw²: the number of equally weighted nodes with the same variance (Kish 1965, Survey sampling).

    >>> effective_sample_size([1, 1, 2])
    2.6666666666666665
    """
    return formulas.effective_sample_size(_numbers("weights", weights))


def naive(treatment: Any, outcome: Any, policy: Any) -> Value:
    """Σ π̄_a·ȳ_a: the unadjusted mean of the arms, biased under confounding.

    >>> naive([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1]).value
    4.0
    """
    arms, y = _arms(treatment), _numbers("outcome", outcome)
    pi = _table("policy", policy, len(y))
    _same(treatment=arms, outcome=y, policy=pi)
    return _value(formulas.arm_means(arms, y, pi))


def ips(treatment: Any, outcome: Any, policy: Any, propensity: Any) -> Value:
    """Inverse propensity weighting: mean w·y (Horvitz and Thompson 1952, A generalization of sampling without
    replacement from a finite universe).

    >>> ips([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5]).value
    5.5
    """
    y, w = _numbers("outcome", outcome), importance_weights(treatment, policy, propensity)
    _same(treatment=w, outcome=y)
    return _value(formulas.inverse_propensity(w, y))


def ips_clipped(treatment: Any, outcome: Any, policy: Any, propensity: Any,
                clip: Optional[float] = None) -> Value:
    """Inverse propensity weighting with weights clipped at clip; by default 5 times the number of arms.

    >>> ips_clipped([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...             clip=3).value
    4.75
    """
    y = _numbers("outcome", outcome)
    w = importance_weights(treatment, policy, propensity)
    w = clip_weights(w, _usual_bound(policy, w) if clip is None else clip)
    _same(treatment=w, outcome=y)
    return _value(formulas.inverse_propensity(w, y))


def snips(treatment: Any, outcome: Any, policy: Any, propensity: Any) -> Value:
    """Self-normalised inverse propensity weighting: Σwy / Σw (Swaminathan and Joachims 2015, The
    self-normalized estimator for counterfactual learning).

    >>> snips([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5]).value
    3.6666666666666665
    """
    y, w = _numbers("outcome", outcome), importance_weights(treatment, policy, propensity)
    _same(treatment=w, outcome=y)
    return _value(formulas.self_normalised(w, y))


def dm(policy: Any, mu: Any) -> Value:
    """The direct method: mean of Σ_a π_a·μ_a. Its standard error takes the outcome model as known.

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
       correction: str = "self_normalised") -> Value:
    """Doubly robust: the direct method plus a correction by residuals, "self_normalised" (Σwr/Σw),
    "plain" (mean w·r) or "literal" (the first over n, as the paper prints it). Dudík, Langford and Li
    2011, Doubly robust policy evaluation and learning.

    >>> dr([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...    mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]], correction="plain").value
    3.0
    """
    expected, w, r = _parts(treatment, outcome, policy, propensity, mu)
    return _value(formulas.doubly_robust(expected, w, r, correction))


def switch_dr(treatment: Any, outcome: Any, policy: Any, propensity: Any, mu: Any,
              switch_threshold: Optional[float] = None) -> Value:
    """Doubly robust, plain, with weights above the threshold set to 0 (switch_weights); by default 5 times
    the number of arms.

    >>> switch_dr([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...           mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]], switch_threshold=3).value
    4.0
    """
    expected, w, r = _parts(treatment, outcome, policy, propensity, mu)
    w = switch_weights(w, _usual_bound(policy, w) if switch_threshold is None else switch_threshold)
    return _value(formulas.doubly_robust(expected, w, r, "plain"))


def dr_shrinkage(treatment: Any, outcome: Any, policy: Any, propensity: Any, mu: Any,
                 shrinkage_lambda: float = 100.0) -> Value:
    """Doubly robust, plain, with optimistic shrinkage of the weights (shrink_weights).

    >>> dr_shrinkage([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...              mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]], shrinkage_lambda=16).value
    3.4
    """
    expected, w, r = _parts(treatment, outcome, policy, propensity, mu)
    return _value(formulas.doubly_robust(expected, shrink_weights(w, shrinkage_lambda), r, "plain"))


class Cautious(NamedTuple):
    """A doubly robust value with a shrunken correction."""

    value: float
    correction: float
    correction_error: float
    factor: float


def dr_cautious(treatment: Any, outcome: Any, policy: Any, propensity: Any, mu: Any) -> Cautious:
    """Doubly robust, with the self-normalised correction c of standard error s shrunk by the factor
    max(0, 1 − s²/c²), as in network_dr.

    >>> dr_cautious([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], policy=[1, 1, 1, 1], propensity=[0.5, 0.25, 0.5, 0.5],
    ...             mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]]).factor
    0.0
    """
    return Cautious(*formulas.correct_cautiously(*_parts(treatment, outcome, policy, propensity, mu)))


def dr_scores(treatment: Any, outcome: Any, propensity: Any, mu: Any) -> Floats:
    """Doubly robust (AIPW) scores, nodes × arms: μ_a + 1{t=a}·(y − μ_a)/e_a. Differences of columns are
    scores of effects.

    >>> dr_scores([0, 1, 1, 0], [1.0, 3.0, 5.0, 2.0], propensity=[0.5, 0.25, 0.5, 0.5], mu=[[1.0, 3.0], [2.0, 4.0], [2.0, 4.0], [1.0, 3.0]])[1].tolist()
    [2.0, 0.0]
    """
    arms, y = _arms(treatment), _numbers("outcome", outcome)
    m, e = _means(mu, len(y)), _table("propensity", propensity, len(y))
    _same(treatment=arms, outcome=y, mu=m, propensity=e)
    return formulas.doubly_robust_scores(arms, y, m, e)
