"""Off-policy evaluation on networks: the value of treatment policies from logged data whose units are
connected, with sensitivity to unmeasured confounding.

>>> import cone
>>> data = cone.Dataset.load("demo")
>>> answer = cone.evaluate(data, ["treat-all", "uniform"], estimators=["dr_ridge", "snips"])
>>> answer.best
['logged']
"""

from . import estimators
from ._answers import Effects, Rule, Sensitivity, Study
from ._core import Error, __version__
from ._dataset import Dataset
from ._errors import complete_errors as _complete_errors
from ._evaluation import Evaluation
from ._functions import effects, evaluate, learn, reproduce, sensitivity, simulate
from ._kernels import choose_kernels as _choose_kernels
from ._options import options
from .models import Cone, NetworkRidge

__all__ = ["Cone", "Dataset", "Effects", "Error", "Evaluation", "NetworkRidge", "Rule", "Sensitivity",
           "Study", "__version__", "effects", "estimators", "evaluate", "learn", "options", "reproduce",
           "sensitivity", "simulate"]

_complete_errors()
_choose_kernels()
