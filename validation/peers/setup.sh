#!/bin/sh
# Creates validation/peers/.venv, the throw-away Python environment that comparisons with other frameworks run in.
# Nothing of it is needed to build, test or use the project.
set -eu
cd "$(dirname -- "$0")"
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet torch==2.13.0 numpy scipy h5py
.venv/bin/python -c 'import torch; print("torch", torch.__version__, "threads", torch.get_num_threads())'
