#!/usr/bin/env python3
"""CONE's model and objective implemented with PyTorch Geometric: GATConv on a dense X, float32.

    pyg_cone.py FOLDER --threads N --epochs N

FOLDER is written by `epoch_bench --peer-folder`. Starts from its weights, prints the losses
of the first pass, the number of parameters and the seconds of each epoch as JSON.
"""

import argparse
import json
import pathlib
import statistics
import time
import warnings

warnings.filterwarnings("ignore", category=FutureWarning)

import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import torch_geometric  # noqa: E402
from torch import nn  # noqa: E402
from torch_geometric.nn import GATConv  # noqa: E402

HEADS, SIZE, HIDDEN = 4, 16, 64
WIDTH = HEADS * SIZE
GAMMA, ZETA, LEARNING_RATE = 1.0, 0.01, 0.005


class Cone(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.treatment_tower = GATConv(features, SIZE, heads=HEADS)
        self.outcome_tower = GATConv(features, SIZE, heads=HEADS)
        self.outcome_head = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.ELU(), nn.Linear(HIDDEN, 1))
        self.treatment_head = nn.Linear(WIDTH, 1)
        self.critic = nn.Sequential(nn.Linear(2 * WIDTH, HIDDEN), nn.ELU(), nn.Linear(HIDDEN, 1))

    def forward(self, x, edge_index):
        return (F.elu(self.treatment_tower(x, edge_index)), F.elu(self.outcome_tower(x, edge_index)))

    def supervised(self, z_t, z_y, nodes, treatment, outcome):
        predicted = self.outcome_head(z_y[nodes]).squeeze(1)
        logit = self.treatment_head(z_t[nodes]).squeeze(1)
        return (F.mse_loss(predicted, outcome[nodes]),
                F.binary_cross_entropy_with_logits(logit, treatment[nodes]))

    def mutual_information(self, z_t, z_y, nodes, permutation):
        z_t, z_y = z_t[nodes], z_y[nodes]
        joint = self.critic(torch.cat([z_t, z_y], dim=1)).squeeze(1)
        shuffled = self.critic(torch.cat([z_t, z_y[permutation]], dim=1)).squeeze(1)
        return -joint.mean() + torch.logsumexp(shuffled, 0) - np.log(len(nodes))


def load_weights(model, folder):
    def tensor(name):
        return torch.from_numpy(np.load(folder / f"{name}.npy")).float()

    weight, bias = tensor("layer1.weight"), tensor("layer1.bias")
    dst, src = tensor("layer1.attention_dst"), tensor("layer1.attention_src")
    with torch.no_grad():
        for k, tower in enumerate((model.treatment_tower, model.outcome_tower)):
            columns, heads = slice(k * WIDTH, (k + 1) * WIDTH), slice(k * HEADS, (k + 1) * HEADS)
            tower.lin.weight.copy_(weight[:, columns].T)
            tower.att_dst.copy_(dst[heads].unsqueeze(0))
            tower.att_src.copy_(src[heads].unsqueeze(0))
            tower.bias.copy_(bias[0, columns])
        linears = {"outcome_head": [model.outcome_head[0], model.outcome_head[2]],
                   "treatment_head": [model.treatment_head],
                   "critic": [model.critic[0], model.critic[2]]}
        for name, layers in linears.items():
            for l, layer in enumerate(layers, 1):
                layer.weight.copy_(tensor(f"{name}.weight{l}").T)
                layer.bias.copy_(tensor(f"{name}.bias{l}")[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)

    def row(name, kind):
        return torch.from_numpy(np.load(args.folder / f"{name}.npy")[0]).to(kind)

    x = torch.from_numpy(scipy.sparse.load_npz(args.folder / "x.npz").toarray()).float()
    edge_index = torch.from_numpy(np.load(args.folder / "edges.npy")).long()
    train, validation = row("train", torch.long), row("validation", torch.long)
    treatment, outcome = row("treatment", torch.float32), row("outcome", torch.float32)
    model = Cone(x.shape[1])
    load_weights(model, args.folder)
    optimiser = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)

    with torch.no_grad():
        z_t, z_y = model(x, edge_index)
        l_y, l_t = model.supervised(z_t, z_y, train, treatment, outcome)
        l_mi = model.mutual_information(z_t, z_y, train, row("permutation", torch.long))
    first = {"outcome": l_y.item(), "treatment": l_t.item(), "mutual_information": l_mi.item()}

    seconds = []
    for _ in range(args.epochs + 1):
        start = time.perf_counter()
        optimiser.zero_grad()
        z_t, z_y = model(x, edge_index)
        l_y, l_t = model.supervised(z_t, z_y, train, treatment, outcome)
        l_mi = model.mutual_information(z_t, z_y, train, torch.randperm(len(train)))
        with torch.no_grad():
            model.supervised(z_t, z_y, validation, treatment, outcome)
        (l_y + GAMMA * l_t + ZETA * l_mi).backward()
        optimiser.step()
        seconds.append(time.perf_counter() - start)
    timed = seconds[1:]  # the first also allocates
    print(json.dumps({"torch": torch.__version__, "torch_geometric": torch_geometric.__version__,
                      "threads": args.threads, "first_losses": first,
                      "parameters": sum(p.numel() for p in model.parameters()),
                      "epochs": len(timed), "epoch_seconds": statistics.median(timed),
                      "fastest_epoch_seconds": min(timed)}))


if __name__ == "__main__":
    main()
