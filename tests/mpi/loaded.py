# SPDX-License-Identifier: BSD-3-Clause
"""Which component files a process loads: none that lost by a list, by its manifest, or because it
was not needed."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM, COMPONENTS = sys.argv[1:4]


def loaded(*options, ranks=2, moment="init", **environment):
    done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", str(ranks), *options, PROGRAM], capture_output=True,
                          text=True, timeout=240, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    found = {line.split()[1] for line in done.stdout.splitlines() if line.startswith(moment)}
    return {name.removeprefix("tessera_").removesuffix(".so") for name in found}


class Loaded(unittest.TestCase):
    def test_only_what_is_needed(self):
        self.assertEqual(loaded(), {"pml_ob1", "btl_self", "btl_sm"})

    def test_what_a_list_leaves_out(self):
        self.assertEqual(loaded("--mca", "btl", "self,tcp"), {"pml_ob1", "btl_self", "btl_tcp"})
        self.assertEqual(loaded("--mca", "btl", "^sm"), {"pml_ob1", "btl_self", "btl_tcp"})
        self.assertEqual(loaded("--mca", "coll", "^sm", moment="collective"),
                         {"pml_ob1", "btl_self", "btl_sm", "coll_basic"})

    def test_collective_components_on_first_use(self):
        self.assertEqual(loaded(moment="collective"), {"pml_ob1", "btl_self", "btl_sm", "coll_basic", "coll_sm"})

    def test_an_interposer_only_when_it_is_wanted(self):
        self.assertIn("pml_monitoring", loaded("--mca", "pml_monitoring_enable", "true", "--mca",
                                               "pml_monitoring_table", os.devnull))

    def test_what_its_manifest_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            # Refused for what its bytes say: the name inside is not that of the file.
            shutil.copy(os.path.join(COMPONENTS, "tessera_btl_sm.so"), os.path.join(folder, "tessera_btl_other.so"))
            found = loaded(TESSERA_MCA_mca_component_path=folder + ":" + COMPONENTS)
        self.assertEqual(found, {"pml_ob1", "btl_self", "btl_sm"})


unittest.main(argv=sys.argv[:1])
