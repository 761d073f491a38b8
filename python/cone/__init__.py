"""What would a decision rule have achieved? Utility of treatment policies from logged data, when the
people in the data are connected.

>>> import cone
>>> data = cone.Dataset.load("demo")
>>> answer = cone.evaluate(data, ["treat-all", "uniform"], estimators=["dr_ridge", "snips"])
>>> answer.best
['treat-all']
"""

from ._core import Error, __version__
from ._dataset import Dataset
from ._evaluation import Evaluation
from ._functions import evaluate

__all__ = ["Dataset", "Error", "Evaluation", "__version__", "evaluate"]
