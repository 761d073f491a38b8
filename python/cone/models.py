"""Learners in the style of scikit-learn, which is not required: get_params, set_params and clone work.

Both are fitted to logged data on a network, and predict the nodes that they were fitted to by
cross-fitting: no prediction of a node uses its own treatment or outcome.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Optional, Sequence, TypeVar, Union

import numpy as np

from . import _core
from ._columns import as_label
from ._dataset import Dataset
from ._inputs import refuse_input
from ._options import as_seed, as_threads, encode, refuse_unknown
from ._progress import Progress, watching

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
_Self = TypeVar("_Self", bound="_Learner")


class _Learner:
    """Parameters by name, as scikit-learn's clone() needs them."""

    def __init_subclass__(cls) -> None:
        """An unknown parameter is an error with the nearest name. scikit-learn reads the names from the
        signature, which therefore cannot take arbitrary keywords."""
        make = cls.__init__

        @functools.wraps(make)
        def checked(self: _Learner, *values: Any, **parameters: Any) -> None:
            refuse_unknown(parameters, self._names())
            make(self, *values, **parameters)

        setattr(cls, "__init__", checked)

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, as they were given."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self: _Self, **parameters: Any) -> _Self:
        """Sets parameters by name; an unknown one is an error."""
        refuse_unknown(parameters, self._names())
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        usual = {name: parameter.default
                 for name, parameter in inspect.signature(type(self).__init__).parameters.items()}
        given = [f"{name}={value!r}" for name, value in self.get_params().items()
                 if value is not usual[name] and value != usual[name]]
        return f"{type(self).__name__}({', '.join(given)})"

    def _read(self, X: Any, y: Any, treatment: Any, network: Any) -> Dataset:
        if isinstance(X, Dataset):
            if y is not None or treatment is not None or network is not None:
                raise _core.Error("fit: a Dataset has outcome, treatment and network already; leave "
                                  "them out")
            return X
        if y is None or treatment is None:
            refuse_input("X", X, "fit() without y= and treatment=", "a cone.Dataset")
        return Dataset.from_arrays(features=X, outcome=y, treatment=treatment, network=network)

    def _require_fit(self) -> None:
        if not hasattr(self, "mu_"):
            raise _core.Error(f"{type(self).__name__}: is not fitted; call fit() first")

    def predict(self, arm: Union[str, int, None] = None) -> Floats:
        """Out-of-fold predicted outcomes of the fitted nodes, nodes × arms; for one arm, by its label or
        number, one per node."""
        self._require_fit()
        table: Floats = getattr(self, "mu_")
        if arm is None:
            return table
        arms: list[str] = getattr(self, "arms_")
        label = as_label(arm)
        if label in arms:
            return table[:, arms.index(label)]
        if isinstance(arm, int) and 0 <= arm < len(arms):
            return table[:, arm]
        raise _core.Error(f"predict: there is no arm {arm!r}; the arms are {', '.join(arms)}")


class NetworkRidge(_Learner):
    """The network ridge: outcomes on features, neighbours and neighbours' features, with one variance per
    group learnt by restricted maximum likelihood (docs/network_ridge.md).

    After fit: mu_ and mu_sd_ (nodes × arms), effect_ and effect_sd_ (nodes × arms − 1; shrunk towards the mean
    effect by shrinkage_), parts_ (nodes × arms × part_names_), learnt_ (variance components per arm), warnings_.

    >>> import cone
    >>> data = cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1)
    >>> cone.NetworkRidge(folds=3).fit(data).predict().shape
    (200, 2)
    """

    def __init__(self, folds: int = 5, ridge_groups: Optional[Sequence[str]] = None,
                 undersmoothing: float = 1.0, ridge_noise: str = "degree",
                 ridge_variances: str = "once", ridge_criterion: str = "likelihood",
                 ridge_solver: str = "auto", draws: int = 64, effect_shrinkage: str = "auto",
                 seed: int = 0, threads: int = 0) -> None:
        self.folds = folds
        self.ridge_groups = ridge_groups
        self.undersmoothing = undersmoothing
        self.ridge_noise = ridge_noise
        self.ridge_variances = ridge_variances
        self.ridge_criterion = ridge_criterion
        self.ridge_solver = ridge_solver
        self.draws = draws
        self.effect_shrinkage = effect_shrinkage
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any, y: Any = None, *, treatment: Any = None, network: Any = None,
            progress: Progress = None) -> NetworkRidge:
        """Fits to a Dataset, or to arrays: features, outcomes, treatment and network."""
        dataset = self._read(X, y, treatment, network)
        options = self.get_params()
        seed, threads = as_seed(options.pop("seed")), options.pop("threads")
        with watching(progress) as observer:
            found = _core.fit_ridge(dataset._core, encode(options), seed, as_threads(threads),
                                    observer)
        self.arms_: list[str] = dataset.arms
        self.mu_: Floats = found["mu"]
        self.mu_sd_: Floats = found["mu_sd"]
        self.effect_: Floats = found["effect"]
        self.effect_sd_: Floats = found["effect_sd"]
        self.shrinkage_: Floats = found["shrinkage"]
        self.part_names_: list[str] = found["part_names"]
        self.parts_: Floats = found["parts"].reshape(dataset.num_nodes, len(self.arms_), -1)
        self.learnt_: list[dict[str, Any]] = found["arms"]
        self.warnings_: list[str] = found["warnings"]
        self._fitted_to = (dataset, options, seed)
        self._propensity: Optional[Floats] = None
        return self

    def propensity(self, progress: Progress = None) -> Floats:
        """Propensities, nodes × arms, out of fold: a network ridge of the treatment, calibrated by a logistic
        curve. Fitted at the first call."""
        self._require_fit()
        if self._propensity is None:
            dataset, options, seed = self._fitted_to
            with watching(progress) as observer:
                self._propensity = _core.predict_propensities(dataset._core, encode(options), seed,
                                                              as_threads(self.threads), observer)
        return self._propensity

    def transform(self) -> Floats:
        """Contributions of the parts (features, neighbours, ...) to the predicted outcomes: nodes × (arms ·
        parts)."""
        self._require_fit()
        return self.parts_.reshape(len(self.parts_), -1)


class Cone(_Learner):
    """CONE's networks: partial representations of features and network, outcome networks per arm and a
    propensity model on them (docs/method.md; Guo, Li and Liu 2020, Counterfactual evaluation of
    treatment assignment functions with networked observational data).

    After fit: mu_ and propensity_ (nodes × arms), representation_ (nodes × columns), nodes_ (the rows
    of the data that are predicted: all of them, except with protocol="split"), warnings_.

    >>> import cone
    >>> data = cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1)
    >>> fitted = cone.Cone(epochs=2, folds=2).fit(data)
    >>> fitted.predict().shape, fitted.propensity().shape
    ((200, 2), (200, 2))
    """

    def __init__(self, folds: Optional[int] = None, selection_folds: Optional[int] = None,
                 protocol: str = "cross_fit", propensity_bound: Optional[float] = None,
                 encoder: str = "attention", heads: int = 4, head_size: int = 16, layers: int = 1,
                 hidden: int = 64, self_loops: bool = True, gamma: float = 1.0, zeta: float = 0.01,
                 learning_rate: float = 0.005, weight_decay: float = 0.0, clip_gradient: float = 0.0,
                 dropout: float = 0.0, epochs: int = 200, patience: int = 30, seed: int = 0,
                 threads: int = 0) -> None:
        self.folds = folds
        self.selection_folds = selection_folds
        self.protocol = protocol
        self.propensity_bound = propensity_bound
        self.encoder = encoder
        self.heads = heads
        self.head_size = head_size
        self.layers = layers
        self.hidden = hidden
        self.self_loops = self_loops
        self.gamma = gamma
        self.zeta = zeta
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.clip_gradient = clip_gradient
        self.dropout = dropout
        self.epochs = epochs
        self.patience = patience
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any, y: Any = None, *, treatment: Any = None, network: Any = None,
            progress: Progress = None) -> Cone:
        """Trains on a Dataset, or on arrays: features, outcomes, treatment and network."""
        dataset = self._read(X, y, treatment, network)
        options = self.get_params()
        seed, threads = as_seed(options.pop("seed")), options.pop("threads")
        nuisances = {"propensity_bound": options.pop("propensity_bound")}
        plan = {name: options.pop(name) for name in ("folds", "selection_folds", "protocol")}
        with watching(progress) as observer:
            found = _core.fit_networks(dataset._core, encode(plan), encode(options),
                                       encode(nuisances), seed, as_threads(threads), observer)
        self.arms_: list[str] = dataset.arms
        self.nodes_: npt.NDArray[np.int64] = found["nodes"]
        self.mu_: Floats = found["mu"]
        self.propensity_: Floats = found["propensity"]
        self.representation_: npt.NDArray[np.float32] = found["z"]
        self.warnings_: list[str] = found["warnings"]
        return self

    def transform(self) -> npt.NDArray[np.float32]:
        """The representations of the nodes, for outcome and treatment side by side."""
        self._require_fit()
        return self.representation_

    def propensity(self) -> Floats:
        """Propensities, nodes × arms, out of fold."""
        self._require_fit()
        return self.propensity_
