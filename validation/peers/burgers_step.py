#!/usr/bin/env python3
"""PyTorch's side of the Burgers step: eager nested autograd on the same numbers as ours.

    burgers_step.py CASE.h5 --out RESULT.h5     loss and gradients of the case, once
    burgers_step.py CASE.h5 --serve             timing: one command a line on stdin, one answer a line on stdout

CASE.h5 (make_case.py writes one) holds
    attributes  dtype ("float32" or "float64"), threads, nu, learning_rate,
                weight_residual, weight_initial, weight_boundary
    params/net/w0, b0, w1, b1, ...   layer i is x @ w + b, so w is [n_in, n_out] and b is [n_out]
    interior    [n, 2] columns t, x
    initial     [n, 2] and initial_targets [n, 1]
    boundary    [n, 2]; the target there is zero

The network is tanh between the layers and linear at the end. The loss is
    weight_residual mean((u_t + u u_x - nu u_xx)^2) + weight_initial mean((u - target)^2) + weight_boundary mean(u^2).

RESULT.h5 gets the scalars loss, residual, initial, boundary (terms without their weights) and gradients/net/w0, ...

Commands of --serve, so that the caller can alternate its own rounds with ours:
    round N     N whole Adam steps (forward, nested derivatives, loss, backward, update) -> "round N MEDIAN_MS LOSS"
    quit        ends, as does the end of the input
The first answer is "ready" after ten steps of warm-up. A wrong command answers "error ...".
"""

import argparse
import os
import statistics
import sys
import time

import h5py
import torch


class Case:
    """A case file on the CPU: parameters that require gradients, batches and weights."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.dtype = {"float32": torch.float32, "float64": torch.float64}[file.attrs["dtype"]]
            self.threads = int(file.attrs["threads"])
            self.nu = float(file.attrs["nu"])
            self.learning_rate = float(file.attrs["learning_rate"])
            self.weights = {n: float(file.attrs[f"weight_{n}"]) for n in ("residual", "initial", "boundary")}
            net = file["params/net"]
            self.names = [name for i in range(len(net) // 2) for name in (f"w{i}", f"b{i}")]
            self.params = [self._tensor(net[name]).requires_grad_() for name in self.names]
            self.interior, self.initial, self.initial_targets, self.boundary = (
                self._tensor(file[key]) for key in ("interior", "initial", "initial_targets", "boundary"))

    def _tensor(self, dataset):
        return torch.tensor(dataset[()], dtype=self.dtype)

    def network(self, points):
        hidden = points
        for i in range(0, len(self.params), 2):
            hidden = torch.addmm(self.params[i + 1], hidden, self.params[i])
            if i + 2 < len(self.params):
                hidden = torch.tanh(hidden)
        return hidden

    def terms(self):
        """The loss terms without their weights."""
        points = self.interior.detach().requires_grad_()
        u = self.network(points)
        u_t, u_x = torch.autograd.grad(u.sum(), points, create_graph=True)[0].split(1, dim=1)
        u_xx = torch.autograd.grad(u_x.sum(), points, create_graph=True)[0][:, 1:]
        return {
            "residual": (u_t + u * u_x - self.nu * u_xx).square().mean(),
            "initial": (self.network(self.initial) - self.initial_targets).square().mean(),
            "boundary": self.network(self.boundary).square().mean(),
        }

    def loss(self, terms):
        return sum(self.weights[name] * value for name, value in terms.items())


def write_result(case, path):
    """Writes loss and gradients beside `path` and renames, so that a reader never sees half a file."""
    terms = case.terms()
    loss = case.loss(terms)
    gradients = torch.autograd.grad(loss, case.params)
    with h5py.File(path + ".part", "w") as file:
        file["loss"] = loss.item()
        for name, value in terms.items():
            file[name] = value.item()
        for name, gradient in zip(case.names, gradients):
            file[f"gradients/net/{name}"] = gradient.numpy()
    os.replace(path + ".part", path)
    print(f"loss {loss.item():.9g}")


def serve(case):
    optimizer = torch.optim.Adam(case.params, lr=case.learning_rate)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = case.loss(case.terms())
        loss.backward()
        optimizer.step()
        return loss.item()

    for _ in range(10):
        step()
    print("ready", flush=True)
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            return
        if len(words) != 2 or words[0] != "round" or not words[1].isdigit() or int(words[1]) == 0:
            print(f"error: expected 'round N' or 'quit', got {line.strip()!r}", flush=True)
            continue
        times = []
        for _ in range(int(words[1])):
            start = time.perf_counter()
            loss = step()
            times.append(1e3 * (time.perf_counter() - start))
        print(f"round {len(times)} {statistics.median(times):.4f} {loss:.9g}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="PyTorch eager nested autograd for one Burgers case.")
    parser.add_argument("case")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--out", help="write loss and gradients to this HDF5 file")
    mode.add_argument("--serve", action="store_true", help="time Adam steps on request")
    arguments = parser.parse_args()
    case = Case(arguments.case)
    torch.set_num_threads(case.threads)
    if arguments.out:
        write_result(case, arguments.out)
    else:
        serve(case)


if __name__ == "__main__":
    main()
