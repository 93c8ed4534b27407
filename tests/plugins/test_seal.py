# SPDX-License-Identifier: BSD-3-Clause
"""Sealed plug-ins: 167 of them with one bit changed, each refused by name before the dynamic linker
sees it.

Usage: test_seal.py MPIEXEC PROGRAM GOOD_PLUGIN OMPI_INFO TESSERA_SEAL
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM, GOOD, INFO, SEAL = sys.argv[1:6]
del sys.argv[1:6]
FLIPS = 167
WRONG = "does not match the checksum that tessera-seal has added: it was damaged or changed since; install or build it again"


class Sealed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.good = self.folder / "good" / "tessera_btl_probe.so"
        self.good.parent.mkdir()
        shutil.copy(GOOD, self.good)

    def run_words(self, *words):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        return subprocess.run(["timeout", "-k", "5", "60", *map(str, words)], env=environment, capture_output=True, text=True, check=False)

    def seal(self, *words):
        run = self.run_words(SEAL, *words)
        return run.returncode, run.stdout, run.stderr

    def run_job(self, folder, *options):
        return self.run_words(MPIEXEC, "-n", 2, "--mca", "mca_component_path", f"{folder}:SYSTEM", *options, PROGRAM)

    def reasons(self, folder):
        run = self.run_words(INFO, "--mca", "mca_component_path", folder, "--all", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def flip(self, content, bit, path):
        content = bytearray(content)
        content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)

    def test_each_flipped_bit_is_refused_by_name(self):
        self.assertEqual(self.seal(self.good), (0, "", ""))
        content = self.good.read_bytes()
        flipped = self.folder / "flipped"
        flipped.mkdir()
        # Some in each part: headers, seal, and anywhere.
        draw = random.Random(23)
        bits = [*draw.sample(range(8 * 1024), 30), *draw.sample(range(8 * (len(content) - 64), 8 * len(content)), 30)]
        bits += draw.sample(range(8 * 1024, 8 * (len(content) - 64)), FLIPS - len(bits))
        for number, bit in enumerate(bits):
            self.flip(content, bit, flipped / f"tessera_btl_f{number}.so")
        report = self.reasons(flipped)
        for number, bit in enumerate(bits):
            with self.subTest(bit=bit):
                self.assertIn(f"{flipped}/tessera_btl_f{number}.so: {WRONG}", report)
        run = self.run_job(flipped)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "ok\n", ""))
        for number in (0, 40, 100):  # by name it is an error, which mpiexec tells before a rank starts
            run = self.run_job(flipped, "--mca", "btl", f"self,sm,f{number}")
            self.assertNotIn(run.returncode, (0, 139), run)
            words = " ".join(run.stderr.replace("tessera:", "").split())
            self.assertIn(f"{flipped}/tessera_btl_f{number}.so: {WRONG}", words)

    def test_a_right_seal_and_none_are_as_good(self):
        self.assertEqual(self.seal("--check", self.good),
                         (1, "", f"tessera-seal: {self.good}: has no checksum; tessera-seal FILE adds one\n"))
        before = self.good.read_bytes()
        self.assertNotIn(WRONG, self.reasons(self.good.parent))
        self.assertEqual(self.seal(self.good), (0, "", ""))
        self.assertEqual(self.seal("--check", self.good), (0, f"{self.good}: is as it was sealed\n", ""))
        self.assertNotIn(WRONG, self.reasons(self.good.parent))
        sealed = self.good.read_bytes()
        self.assertEqual((len(sealed), sealed[:len(before)]), (len(before) + 64, before))
        self.assertEqual(self.seal(self.good), (0, "", ""), "again changes nothing")
        self.assertEqual(self.good.read_bytes(), sealed)
        self.assertEqual(self.seal("--remove", self.good), (0, "", ""))
        self.assertEqual(self.good.read_bytes(), before)

    def test_a_sealed_one_is_loaded(self):
        system = pathlib.Path(MPIEXEC).resolve().parent.parent
        found = sorted(system.glob("lib*/**/tessera_btl_s[em]*.so"))
        self.assertTrue(found)
        for file in found:
            shutil.copy(file, self.good.parent)
            self.assertEqual(self.seal(self.good.parent / file.name), (0, "", ""))
        run = self.run_job(self.good.parent, "--mca", "btl", "self,sm")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "ok\n", ""))

    def test_a_changed_one_is_not_sealed_again_by_mistake(self):
        self.seal(self.good)
        self.flip(self.good.read_bytes(), 5000, self.good)
        status, _, said = self.seal(self.good)
        self.assertEqual(status, 1)
        self.assertIn(f"{self.good}: does not match the checksum it has", said)
        status, _, said = self.seal("--check", self.good)
        self.assertEqual(status, 1)
        self.assertIn(f"{self.good}: does not match its checksum", said)
        self.assertEqual(self.seal("--remove", self.good), (0, "", ""))
        self.assertEqual(self.seal("--check", self.good)[0], 1)

    def test_what_is_no_component(self):
        text = self.folder / "text.so"
        text.write_text("no shared object")
        cases = {text: "is not an ELF file", self.folder: "is a directory", self.folder / "none": "cannot be opened: No such file",
                 MPIEXEC: "is an ELF file, but not|is no component|not a shared object"}
        for file, expected in cases.items():
            status, out, said = self.seal(file)
            self.assertEqual((status, out), (1, ""), file)
            self.assertRegex(said, f"^tessera-seal: {file}: .*({expected})")
        self.assertEqual(text.read_text(), "no shared object")

    def test_command_lines(self):
        for words, expected in {(): "no file is named", ("--chek", self.good): "unknown option --chek",
                                ("--check", "--remove", self.good): "--check and --remove exclude each other"}.items():
            status, out, said = self.seal(*words)
            self.assertEqual((status, out, said.splitlines()[0]), (2, "", f"tessera-seal: {expected}"))
            self.assertIn("Usage: tessera-seal [--check | --remove] FILE...", said)
        status, out, said = self.seal("--help")
        self.assertEqual((status, said), (0, ""))
        self.assertIn("take the checksum away", out)


if __name__ == "__main__":
    unittest.main()
