"""Tests of check_layering.py on small trees written for each case."""

import json
import pathlib
import tempfile
import unittest

import check_layering


class LayeringTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, *includes, text=""):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"#include {i}" if i.startswith("<") else f'#include "{i}"' for i in includes]
        file.write_text("\n".join(lines + [text]) + "\n")

    def offences(self):
        offences, graph = check_layering.check_includes(self.root)
        return offences + check_layering.check_cycles(graph)

    def test_rules_name_known_modules_and_have_no_cycle(self):
        for module, rules in check_layering.ALLOWED.items():
            for rule in rules:
                self.assertIn(rule, check_layering.ALLOWED)
                self.assertNotIn(module, check_layering.allowed_modules(rule))

    def test_downwards_is_allowed(self):
        self.write("framework/core/errors.h", "<string>")
        self.write("framework/ir/type.h", "framework/core/errors.h")
        self.write("science/trainer/loop.cpp", "framework/ir/type.h", "framework/core/errors.h")
        self.write("framework/compiler/passes/fold.cpp", "framework/ir/type.h")
        self.assertEqual(self.offences(), [])

    def test_upwards_names_file_line_and_edge(self):
        self.write("framework/core/errors.h", "<string>", "framework/ir/type.h")
        self.write("framework/ir/type.h")
        self.assertEqual(self.offences(), [
            "framework/core/errors.h:2: framework/core may not include framework/ir (framework/ir/type.h)"])

    def test_angle_brackets_do_not_hide_an_edge(self):
        self.write("framework/core/errors.h", "<framework/ir/type.h>")
        self.write("framework/ir/type.h")
        self.assertEqual(len(self.offences()), 1)

    def test_science_never_includes_equations(self):
        self.write("equations/heat.h")
        self.write("science/problem/problem.cpp", "equations/heat.h")
        self.write("science/problem/problem_test.cpp", "equations/heat.h")
        self.write("apps/solve.cpp", "equations/heat.h")
        self.assertEqual([o.split(":")[0] for o in self.offences()],
                         ["science/problem/problem.cpp", "science/problem/problem_test.cpp"])

    def test_equations_see_the_problem_but_no_trainer(self):
        self.write("science/problem/equation.h")
        self.write("science/trainer/loop.h")
        self.write("equations/heat.cpp", "science/problem/equation.h", "science/trainer/loop.h")
        self.assertEqual([o.split(":")[1] for o in self.offences()], ["2"])

    def test_neighbours_of_one_rank_do_not_see_each_other(self):
        self.write("science/config/reader.h")
        self.write("science/io/csv.h", "science/config/reader.h")
        self.assertEqual(len(self.offences()), 1)

    def test_backends_are_closed_even_to_tests(self):
        self.write("framework/devices/device.h")
        self.write("framework/devices/cpu/gemm.h", "framework/devices/device.h")
        self.write("framework/devices/cpu/gemm.cpp", "framework/devices/cpu/gemm.h")
        self.write("framework/runtime/step.cpp", "framework/devices/device.h", "framework/devices/cpu/gemm.h")
        self.write("framework/runtime/step_test.cpp", "framework/devices/cpu/gemm.h")
        self.write("framework/devices/null/null.cpp", "framework/devices/cpu/gemm.h")
        self.write("framework/devices/device_test.cpp", "framework/devices/cpu/gemm.h")
        self.assertEqual(sorted(o.split(":")[0] for o in self.offences()),
                         ["framework/devices/device_test.cpp", "framework/devices/null/null.cpp",
                          "framework/runtime/step.cpp", "framework/runtime/step_test.cpp"])

    def test_tests_may_include_their_part_of_the_tree(self):
        self.write("framework/runtime/eager.h")
        self.write("science/io/csv.h")
        self.write("framework/autodiff/vjp_test.cpp", "framework/runtime/eager.h", "science/io/csv.h")
        self.assertEqual([o.split(":")[1] for o in self.offences()], ["2"])

    def test_relative_include_is_refused(self):
        self.write("framework/core/errors.h")
        self.write("framework/core/errors.cpp", "errors.h")
        self.assertIn('"framework/core/errors.h"', self.offences()[0])

    def test_unknown_folder_is_refused(self):
        self.write("framework/misc/utilities.h")
        self.write("science/loose.h")
        self.assertEqual(len(self.offences()), 2)

    def test_heavy_libraries_stay_in_their_module(self):
        self.write("science/io/vti.cpp", "<vtkImageData.h>")
        self.write("science/io/vti.h", "<vtkImageData.h>")
        self.write("science/fields/grid.cpp", "<vtkImageData.h>", "<hdf5.h>")
        self.assertEqual([":".join(o.split(":")[:2]) for o in self.offences()],
                         ["science/fields/grid.cpp:1", "science/fields/grid.cpp:2", "science/io/vti.h:1"])

    def test_cycle(self):
        self.write("framework/ir/a.h", "framework/ir/b.h")
        self.write("framework/ir/b.h", "framework/ir/c.h")
        self.write("framework/ir/c.h", "framework/ir/a.h")
        self.assertEqual(self.offences(), [
            "framework/ir/c.h:1: include cycle: "
            "framework/ir/a.h -> framework/ir/b.h -> framework/ir/c.h -> framework/ir/a.h"])

    def test_headers_compile_alone(self):
        self.write("framework/core/good.h", "<string>", text="inline std::string f() { return {}; }")
        self.write("framework/core/bad.h", text="inline std::string g() { return {}; }")
        self.write("framework/core/x.cpp")
        source = str(self.root / "framework/core/x.cpp")
        command = f"ccache c++ -std=c++20 -I'{self.root}' -Winvalid-pch -include none.hxx -o x.o -c '{source}'"
        (self.root / "compile_commands.json").write_text(json.dumps([{"file": source, "command": command}]))
        offences = check_layering.check_headers(self.root, self.root)
        self.assertEqual([o.split(":")[0] for o in offences], ["framework/core/bad.h"])


if __name__ == "__main__":
    unittest.main()
