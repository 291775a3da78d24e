#!/usr/bin/env python3
"""Checks that includes respect the layers of the source tree.

    scripts/check_layering.py [ROOT]                    layers, include cycles, external headers
    scripts/check_layering.py --headers build/release   also compiles every header alone (minutes)

Exit code 0 when all is well, 1 when a rule is broken; each offence is printed as file:line and the rule.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

# module: modules it may include directly. What those may include is allowed as well, down to the bottom.
# `x/*` stands for each folder inside x: an implementation behind the contract in x, which nobody else may include.
ALLOWED = {
    "framework/core": [],
    "framework/ir": ["framework/core"],
    "framework/loops": ["framework/ir"],
    "framework/ops": ["framework/loops"],
    "framework/autodiff": ["framework/ops"],
    "framework/devices": ["framework/core"],
    "framework/devices/*": ["framework/devices"],
    "framework/parallel": ["framework/core"],
    "framework/parallel/*": ["framework/parallel"],
    "framework/compiler": ["framework/autodiff", "framework/devices", "framework/parallel"],
    "framework/runtime": ["framework/compiler"],
    "framework/export": ["framework/runtime"],
    "science/config": ["framework/export"],
    "science/io": ["framework/export"],
    "science/geometry": ["science/config", "science/io"],
    "science/networks": ["science/config", "science/io"],
    "science/sampling": ["science/geometry", "science/networks"],
    "science/losses": ["science/geometry", "science/networks"],
    "science/optimizers": ["science/geometry", "science/networks"],
    "science/problem": ["science/sampling", "science/losses", "science/optimizers"],
    "science/fields": ["science/problem"],
    "science/trainer": ["science/fields"],
    "equations": ["science/problem"],
    "data": ["science/trainer", "equations"],
    "apps": ["data"],
    "validation": ["apps"],
}

# Tests (`*_test.cpp`, `*_test.h`) may also include their neighbours: any module of their own part of the tree.
PARTS = ["framework", "science", "equations", "data", "apps", "validation"]

# Heavy libraries and the modules that may see them, in sources only: their headers are never part of ours.
EXTERNAL = [
    (re.compile(r"vtk[A-Z]\w*\.h"), "VTK", ["science/io"]),
    (re.compile(r"hdf5\.h|H5\w+\.h|hdf5/.*"), "HDF5", ["science/io"]),
    (re.compile(r"matio\.h"), "matio", ["science/io"]),
    (re.compile(r"yaml-cpp/.*"), "yaml-cpp", ["science/config"]),
    (re.compile(r"spdlog/.*"), "spdlog", ["framework/core"]),
    (re.compile(r"CLI/.*"), "CLI11", ["apps"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def module_of(path):
    """The module that a path relative to the root belongs to, or None outside the layers."""
    parts = path.split("/")[:-1]
    for n in (3, 2, 1):
        folder = "/".join(parts[:n])
        if len(parts) >= n and (folder in ALLOWED or "/".join(parts[: n - 1] + ["*"]) in ALLOWED):
            return folder
    return None


def rules_of(module):
    return ALLOWED[module] if module in ALLOWED else ALLOWED[os.path.dirname(module) + "/*"]


def allowed_modules(module):
    """All modules that `module` may include, itself among them."""
    found, todo = set(), [module]
    while todo:
        current = todo.pop()
        if current not in found:
            found.add(current)
            todo += rules_of(current)
    return found


def is_test(path):
    return re.search(r"_test\.(cpp|h)$", path) is not None


def is_allowed(path, module, target):
    if target in allowed_modules(module):
        return True
    if not is_test(path) or target not in ALLOWED:  # implementations stay closed to tests elsewhere too
        return False
    return PARTS.index(target.split("/")[0]) <= PARTS.index(module.split("/")[0])


def sources(root):
    """Paths of all C++ files of the layers, relative to the root, in a fixed order."""
    found = []
    for part in PARTS:
        for extension in ("h", "cpp"):
            found += root.glob(f"{part}/**/*.{extension}")
    hidden = (p for p in found if not any(n.startswith(".") for n in p.relative_to(root).parts))
    return sorted(p.relative_to(root).as_posix() for p in hidden)


def check_external(path, module, header):
    for pattern, library, modules in EXTERNAL:
        if pattern.fullmatch(header):
            if module not in modules and not is_test(path):
                return f"{module} may not include {library} ({header}); only {', '.join(modules)} may"
            if path.endswith(".h"):
                return f"{library} ({header}) may not appear in a header"
    return None


def check_includes(root):
    """Offences against the layers, and the graph of project includes as path -> [(line, path)]."""
    offences, graph = [], {}
    for path in sources(root):
        graph[path] = []
        module = module_of(path)
        if module is None:
            offences.append(f"{path}:1: no layer has this folder; add it to the table in scripts/check_layering.py")
            continue
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1) or match.group(2)
            problem = None
            if (root / target).is_file():
                target_module = module_of(target)
                graph[path].append((number, target))
                if target_module is None or not is_allowed(path, module, target_module):
                    problem = f"{module} may not include {target_module or 'a file outside the layers'} ({target})"
            elif match.group(1) and (root / path).parent.joinpath(target).is_file():
                problem = f'include "{target}" from the root: "{os.path.dirname(path)}/{target}"'
            else:
                problem = check_external(path, module, target)
            if problem:
                offences.append(f"{path}:{number}: {problem}")
    return offences, graph


def check_cycles(graph):
    """One offence per include cycle, found by depth-first search without recursion."""
    offences, done = [], set()
    for start in graph:
        stack, trail = [(start, iter(graph[start]))], [start]
        while stack:
            path, edges = stack[-1]
            for number, target in edges:
                if target in trail:
                    cycle = trail[trail.index(target):] + [target]
                    offences.append(f"{path}:{number}: include cycle: {' -> '.join(cycle)}")
                elif target not in done and target in graph:
                    stack.append((target, iter(graph[target])))
                    trail.append(target)
                    break
            else:
                done.add(path)
                trail.pop()
                stack.pop()
    return offences


def compile_flags(build):
    """Flags of one source per folder, without those that name its input, its output or the precompiled header."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        while words and not re.search(r"(\+\+|cc|clang)(-\d+)?$", words[0]):  # a compiler cache stands before it
            words.pop(0)
        kept, skip = [], False
        for word in words:
            if skip or word in ("-o", "-include", "-c", "-Winvalid-pch", "-fpch-preprocess", entry["file"]):
                skip = word in ("-o", "-include") and not skip
            else:
                kept.append(word)
        flags.setdefault(os.path.dirname(os.path.realpath(entry["file"])), kept)
    return flags


def check_headers(root, build):
    """Offences of headers that do not compile alone; `*_impl.h` is the end of the header that includes it."""
    flags = compile_flags(build)

    def compile_alone(path):
        command = flags.get(os.path.realpath(root / os.path.dirname(path)), next(iter(flags.values())))
        result = subprocess.run(command + [f"-I{root}", "-fsyntax-only", "-x", "c++", "-"], input=f'#include "{path}"\n',
                                text=True, capture_output=True, cwd=build)
        return None if result.returncode == 0 else f"{path}:1: does not compile alone\n{result.stderr.rstrip()}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(compile_alone, [p for p in sources(root) if re.search(r"(?<!_impl)\.h$", p)])
    return [r for r in results if r]


def main():
    parser = argparse.ArgumentParser(description="Checks that includes respect the layers of the source tree.")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--headers", type=pathlib.Path, metavar="BUILD", help="also compile every header alone")
    arguments = parser.parse_args()
    offences, graph = check_includes(arguments.root)
    offences += check_cycles(graph)
    if arguments.headers:
        offences += check_headers(arguments.root.resolve(), arguments.headers.resolve())
    for offence in offences:
        print(offence)
    print(f"layering: {len(graph)} files, {sum(map(len, graph.values()))} includes, {len(offences)} offences")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
