#!/usr/bin/env python3
"""Writes a case for burgers_step.py from random numbers, to try the peer alone.

    make_case.py CASE.h5 [--dtype float32] [--threads 2] [--width 50] [--depth 5] [--interior 10000] [--seed 0]
"""

import argparse

import h5py
import numpy as np


def main():
    parser = argparse.ArgumentParser(description="Writes a random Burgers case for burgers_step.py.")
    parser.add_argument("case")
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--width", type=int, default=50)
    parser.add_argument("--depth", type=int, default=5, help="number of hidden layers")
    parser.add_argument("--interior", type=int, default=10000)
    parser.add_argument("--initial", type=int, default=100)
    parser.add_argument("--boundary", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    rng = np.random.default_rng(arguments.seed)
    widths = [2] + [arguments.width] * arguments.depth + [1]
    t, x = rng.uniform(0, 1, arguments.interior), rng.uniform(-1, 1, arguments.interior)
    x_initial = rng.uniform(-1, 1, (arguments.initial, 1))
    t_boundary = rng.uniform(0, 1, arguments.boundary)
    x_boundary = rng.choice([-1.0, 1.0], arguments.boundary)
    with h5py.File(arguments.case, "w") as file:
        file.attrs.update(dtype=arguments.dtype, threads=arguments.threads, nu=0.01 / np.pi, learning_rate=1e-3,
                          weight_residual=1.0, weight_initial=1.0, weight_boundary=1.0)

        def write(name, values):
            file[name] = values.astype(arguments.dtype)

        for i, (n_in, n_out) in enumerate(zip(widths, widths[1:])):
            bound = np.sqrt(6 / (n_in + n_out))  # Glorot and Bengio 2010, uniform
            write(f"params/net/w{i}", rng.uniform(-bound, bound, (n_in, n_out)))
            write(f"params/net/b{i}", rng.uniform(-0.1, 0.1, n_out))
        write("interior", np.stack([t, x], axis=1))
        write("initial", np.hstack([np.zeros_like(x_initial), x_initial]))
        write("initial_targets", -np.sin(np.pi * x_initial))
        write("boundary", np.stack([t_boundary, x_boundary], axis=1))


if __name__ == "__main__":
    main()
