#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A set-user-id program obeys neither the environment nor the home directory of who starts it.

Usage: privileges.py MPIEXEC PROGRAM [unittest arguments]; needs root, and a /tmp that permits
set-user-id programs.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]
NOBODY = 65534


@unittest.skipUnless(os.geteuid() == 0, "only root can make a program set-user-id")
class SetUserId(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera-privileges-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder)
        self.home = self.folder / "home"
        (self.home / ".tessera").mkdir(parents=True)

    def program(self, mode):
        copy = self.folder / f"program{mode:o}"
        shutil.copy(PROGRAM, copy)
        copy.chmod(mode)
        return str(copy)

    def run_as_nobody(self, program, **environment):
        run = subprocess.run([program], env={"HOME": str(self.home), **environment}, user=NOBODY, group=NOBODY,
                             extra_groups=[], cwd="/", capture_output=True, text=True, timeout=240)
        self.output = run.stdout + run.stderr
        return run.returncode

    def privileged(self, **environment):
        code = self.run_as_nobody(self.program(0o4755), **environment)
        if "secure=0" in self.output:
            self.skipTest("set-user-id has no effect here")
        return code

    def test_parameters_of_the_environment_are_ignored(self):
        for name in "TESSERA_MCA_btl", "OMPI_MCA_btl", "TESSERA_MCA_mca_component_path":
            value = "nosuch" if name.endswith("btl") else "/nowhere"
            self.assertEqual(self.privileged(**{name: value}), 0, self.output)

    def test_the_home_directory_is_ignored(self):
        (self.home / ".tessera" / "mca-params.conf").write_text("btl = nosuch\n")
        self.assertEqual(self.privileged(), 0, self.output)

    def test_a_job_in_the_environment_is_refused(self):
        self.assertNotEqual(self.privileged(TESSERA_JOB="3 0"), 0)
        self.assertIn("more rights than who started it", self.output)

    def test_the_job_of_an_engine_is_refused(self):
        for variables in ({"PMI_FD": "3", "PMI_RANK": "0", "PMI_SIZE": "1"}, {"PMI_PORT": "127.0.0.1:1", "PMI_ID": "0"},
                          {"PMIX_NAMESPACE": "x", "PMIX_RANK": "0", "PMIX_MCA_mca_base_component_path": str(self.folder)},
                          {"SLURM_STEP_ID": "0", "SLURM_PROCID": "0"}):
            with self.subTest(variables=variables):
                self.assertNotEqual(self.privileged(**variables), 0)
                self.assertIn("more rights than who started it", self.output)
                self.assertIn(next(iter(variables)), self.output)

    def test_parents_are_not_called(self):
        self.assertEqual(self.privileged(TESSERA_PARENT="tessera://nobody"), 0, self.output)

    @unittest.skipUnless(shutil.which("cc"), "there is no compiler")
    def test_plugins_of_hwloc_are_not_loaded(self):
        source = self.folder / "plugin.c"
        source.write_text('#include <unistd.h>\n__attribute__((constructor)) static void begin(void) { _exit(99); }\n')
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.folder / "hwloc_own.so", source], check=True, timeout=240)
        given = {"HWLOC_PLUGINS_PATH": str(self.folder)}
        self.assertEqual(self.privileged(**given), 0, self.output)

    def test_without_privileges_all_this_is_obeyed(self):
        self.assertEqual(self.run_as_nobody(self.program(0o755)), 0, self.output)
        self.assertNotEqual(self.run_as_nobody(self.program(0o755), TESSERA_MCA_btl="nosuch"), 0)
        self.assertIn("nosuch", self.output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
