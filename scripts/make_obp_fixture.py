#!/usr/bin/env python3
"""Writes python/tests/fixtures/obp.json: arrays, and what Open Bandit Pipeline estimates from them.

    python3 -m venv peers
    peers/bin/pip install --no-deps obp==0.4.1
    peers/bin/pip install "numpy<2" pandas scikit-learn seaborn pyyaml tqdm
    peers/bin/python scripts/make_obp_fixture.py

torch, which obp imports, is only needed for gradients: without it an empty module takes its place.
"""

import importlib.util
import json
import pathlib
import sys
import types

import numpy

if importlib.util.find_spec("torch") is None:
    torch = types.ModuleType("torch")
    torch.Tensor = type("Tensor", (), {})
    for name in ("torch.nn", "torch.nn.functional", "torch.optim", "torch.utils", "torch.utils.data"):
        sys.modules[name] = types.ModuleType(name)
        for word in ("Module", "Dataset", "DataLoader", "Optimizer"):
            setattr(sys.modules[name], word, type(word, (), {}))
    torch.nn, torch.optim = sys.modules["torch.nn"], sys.modules["torch.optim"]
    sys.modules["torch"] = torch

# Not through obp/__init__, which imports simulators and neural policies.
package = types.ModuleType("obp")
package.__path__ = [str(pathlib.Path(importlib.util.find_spec("obp").origin).parent)]
sys.modules["obp"] = package
ope = types.ModuleType("obp.ope")
ope.__path__ = [package.__path__[0] + "/ope"]
sys.modules["obp.ope"] = ope
from obp.ope import estimators  # noqa: E402

NUM_NODES, NUM_ARMS = 60, 3


def main():
    random = numpy.random.default_rng(20)
    arm = random.integers(NUM_ARMS, size=NUM_NODES)
    outcome = random.normal(size=NUM_NODES).round(6)
    policy = random.dirichlet(numpy.ones(NUM_ARMS), size=NUM_NODES)
    propensity = random.dirichlet(2 * numpy.ones(NUM_ARMS), size=NUM_NODES)
    mu = random.normal(size=(NUM_NODES, NUM_ARMS)).round(6)
    log = {"reward": outcome, "action": arm, "position": numpy.zeros(NUM_NODES, dtype=int),
           "pscore": propensity[numpy.arange(NUM_NODES), arm],
           "action_dist": policy[:, :, numpy.newaxis],
           "estimated_rewards_by_reg_model": mu[:, :, numpy.newaxis]}
    weighting = {name: log[name] for name in ("reward", "action", "position", "pscore", "action_dist")}
    direct = {name: log[name]
              for name in ("position", "action_dist", "estimated_rewards_by_reg_model")}
    values = {
        "ips": estimators.InverseProbabilityWeighting().estimate_policy_value(**weighting),
        "snips": estimators.SelfNormalizedInverseProbabilityWeighting().estimate_policy_value(
            **weighting),
        "dm": estimators.DirectMethod().estimate_policy_value(**direct),
        "dr": estimators.DoublyRobust().estimate_policy_value(**log),
        "sndr": estimators.SelfNormalizedDoublyRobust().estimate_policy_value(**log),
        "switch_dr": estimators.SwitchDoublyRobust(tau=2.0).estimate_policy_value(**log),
        "dr_shrinkage": estimators.DoublyRobustWithShrinkage(lambda_=3.0).estimate_policy_value(**log),
    }
    fixture = {"source": "obp 0.4.1", "switch_threshold": 2.0, "shrinkage": 3.0,
               "treatment": arm.tolist(), "outcome": outcome.tolist(), "policy": policy.tolist(),
               "propensity": propensity.tolist(), "mu": mu.tolist(),
               "values": {name: float(value) for name, value in values.items()}}
    path = pathlib.Path(__file__).resolve().parents[1] / "python/tests/fixtures/obp.json"
    path.write_text(json.dumps(fixture, indent=1) + "\n")
    print(json.dumps(fixture["values"], indent=1))


if __name__ == "__main__":
    main()
