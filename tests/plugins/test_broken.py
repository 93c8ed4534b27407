# SPDX-License-Identifier: BSD-3-Clause
"""Eight broken plug-ins, eight messages, and a job that goes on; made from a good one by changing
its bytes.

Usage: test_broken.py MPIEXEC PROGRAM GOOD_PLUGIN PLUGIN_THAT_EXITS PLUGIN_THAT_DIES [--update]

With --update the messages are written to golden/broken.txt instead of being compared with it.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

UPDATE = "--update" in sys.argv
arguments = [word for word in sys.argv[1:] if word != "--update"]
MPIEXEC, PROGRAM, GOOD, LEAVES, DIES = arguments[:5]
sys.argv[1:] = arguments[5:]
GOLDEN = pathlib.Path(__file__).parent / "golden" / "broken.txt"


def replaced(content, old, new):
    assert len(old) == len(new) and old in content, old
    return content.replace(old, new)


def previous_interface(content):
    """In as many digits as the number has."""
    number = re.search(rb"\ninterface\t(\d+)\n", content)[1]
    previous = b"%0*d" % (len(number), int(number) - 1)
    return replaced(content, b"\ninterface\t%s\n" % number, b"\ninterface\t%s\n" % previous)


def other_machine(content):
    return content[:18] + struct.pack("<H", 22) + content[20:]  # e_machine: S/390


def deadly(content):
    """The dynamic linker believes what the dynamic section says of where the symbols are."""
    content = bytearray(content)
    start, = struct.unpack_from("<Q", content, 0x20)
    size, count = struct.unpack_from("<HH", content, 0x36)
    headers = [struct.unpack_from("<IIQ", content, start + i * size) for i in range(count)]
    at = next(offset for kind, _, offset in headers if kind == 2)  # PT_DYNAMIC
    while struct.unpack_from("<Q", content, at)[0] != 6:  # DT_SYMTAB
        at += 16
    struct.pack_into("<Q", content, at + 8, 1 << 40)
    return bytes(content)


KINDS = {
    "old": previous_interface,
    "abi": lambda content: replaced(content, b"-libstdcxx11\n", b"-libvaxxxx11\n"),
    "machine": other_machine,
    "cut": lambda content: content[:len(content) // 2],
    "text": lambda content: b"#!/bin/sh\necho I am no shared object\n",
    "nonote": lambda content: replaced(content, b"Tessera\0layout", b"Nothing\0layout"),
    "library": lambda content: replaced(content, b"libstdc++.so.6", b"libstdc++.so.9"),
    "symbol": lambda content: replaced(content, b"_ZnwmRKSt9nothrow_t", b"_ZnwmRKSt9nothrow_?"),
}


class Broken(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        good = pathlib.Path(GOOD).read_bytes()
        for kind, spoil in KINDS.items():
            content = spoil(good)
            if b"\nname\tprobe\n" in content:
                content = self.renamed(content, kind)
            self.plugin(kind).write_bytes(content)

    @staticmethod
    def renamed(content, kind):
        """The manifest with another name; the bytes that this takes are given or taken at the end
        of the help text."""
        at = content.index(b"layout\t")
        end = content.index(b"\0", at)
        note = content[at:end].replace(b"\nname\tprobe\n", b"\nname\t" + kind.encode() + b"\n")
        surplus = len(note) - (end - at)
        note = note[:-1 - surplus] + b"\n" if surplus > 0 else note[:-1] + b"." * -surplus + b"\n"
        return content[:at] + note + content[end:]

    def plugin(self, kind):
        return self.folder / f"tessera_btl_{kind}.so"

    def run_job(self, *options, path=None, ranks=2):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        command = [MPIEXEC, "-n", str(ranks), "--mca", "mca_component_path", path or f"{self.folder}:SYSTEM", *options, PROGRAM]
        return subprocess.run(["timeout", "-k", "5", "60", *command], env=environment, capture_output=True, text=True)

    def message(self, kind):
        run = self.run_job("--mca", "btl", f"self,sm,{kind}", ranks=1)
        self.assertNotEqual(run.returncode, 0, kind)
        self.assertEqual(run.stdout, "", kind)
        words = " ".join(re.sub(r"^tessera: ", "", run.stderr, flags=re.M).split())  # it is wrapped by the length of paths
        words = re.sub(r" mpiexec: rank 0 .*", "", words)  # that a rank ended is told by another test
        words = re.sub(r"interface \d+ of framework btl, this engine has interface \d+",
                       "interface <previous> of framework btl, this engine has interface <current>", words)
        return words.replace(str(self.folder), "DIR")

    def test_each_message_is_the_golden_one(self):
        text = "".join(f"{kind}\n  {self.message(kind)}\n" for kind in KINDS)
        if UPDATE:
            GOLDEN.parent.mkdir(exist_ok=True)
            GOLDEN.write_text(text)
        self.assertEqual(text, GOLDEN.read_text())

    def test_each_message_names_file_framework_and_remedy(self):
        for block in re.findall(r"^\w+\n  .*$", GOLDEN.read_text(), re.M):
            kind = block.split("\n")[0]
            self.assertIn(f"DIR/tessera_btl_{kind}.so", block)
            self.assertIn(f"btl/{kind}", block)
            self.assertRegex(block, "; .*(rebuild|build|copy|install|remove)")

    def test_a_file_that_kills_the_dynamic_linker_is_named(self):
        self.plugin("deadly").write_bytes(self.renamed(deadly(pathlib.Path(GOOD).read_bytes()), "deadly"))
        run = self.run_job("--mca", "btl", "self,sm,deadly", ranks=1)
        self.assertEqual(run.returncode, 139)
        self.assertIn(f"while the process opened {self.plugin('deadly')}: the file is damaged", run.stderr)

        self.assertRegex(run.stderr, r"mpiexec: rank 0 .* was killed by signal 11 .* while it opened "
                         + re.escape(str(self.plugin("deadly"))) + r": the file is damaged, .* leave it out with --mca btl \^deadly")

    def test_one_that_ends_the_process_is_named(self):
        shutil.copy(LEAVES, self.plugin("leaves"))
        run = self.run_job("--mca", "btl", "self,sm,leaves", ranks=1)
        self.assertEqual(run.returncode, 7, run)
        self.assertRegex(run.stderr, r"mpiexec: rank 0 .* ended with exit status 7 while it opened "
                         + re.escape(str(self.plugin("leaves"))) + r": .*--mca btl \^leaves")

    def test_one_that_dies_in_a_function_of_its_own_is_named(self):
        folder = self.folder / "tessera"  # by which handlers of faults know components
        folder.mkdir()
        file = folder / "tessera_coll_dies.so"
        shutil.copy(DIES, file)
        path = f"{folder}:SYSTEM"
        for where, doing in {"open": "opened", "use": "opened", "query": "asked", "close": "closed",
                             "delete": "closed"}.items():
            with self.subTest(where=where):
                run = self.run_job("--mca", "coll_dies_where", where, path=path, ranks=1)
                self.assertEqual(run.returncode, 139, run)
                blame = f"{doing} {file}: the file is damaged, or its own code fails; "
                self.assertRegex(run.stderr, "mpiexec: rank 0 .* was killed by signal 11 .* while it "
                                 + re.escape(blame) + r".*--mca coll \^dies")
                if doing != "closed":  # when nothing is left of MPI but mpiexec
                    self.assertIn(f"while the process {blame}", run.stderr)
        self.expect_success(self.run_job("--mca", "coll_dies_where", "nowhere", path=path))

    def test_names_do_not_control_the_terminal(self):
        odd = os.fsencode(self.folder) + b"/\x1b[2J\xff"
        os.mkdir(odd)
        with open(odd + b"/tessera_btl_text.so", "wb") as file:
            file.write(b"no shared object")
        command = [MPIEXEC, "-n", "1", "--mca", "mca_component_path", odd + b":SYSTEM", "--mca", "btl", "self,sm,text", PROGRAM]
        run = subprocess.run(["timeout", "-k", "5", "60", *command], capture_output=True, check=False)
        self.assertNotEqual(run.returncode, 0)
        self.assertNotRegex(run.stderr, rb"[\x00-\x08\x0b-\x1f\x80-\xff]")
        self.assertIn(rb"/\x1b[2J\xff/tessera_btl_text.so", b"".join(run.stderr.split()))

    def expect_success(self, run):
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "ok\n", ""))

    def test_the_job_goes_on_without_a_word(self):
        self.expect_success(self.run_job())

    def test_bad_entries_of_the_path_hide_nothing(self):
        odd = self.folder / "odd"
        odd.mkdir()
        (odd / "tessera_btl_dangling.so").symlink_to("/nonexistent/tessera.so")
        (odd / "loop").symlink_to("loop")
        (odd / "file").write_text("no directory")
        for entry in ("/nonexistent", odd, odd / "loop", odd / "file", "", "relative/nowhere"):
            with self.subTest(entry=str(entry)):
                self.expect_success(self.run_job(path=f"{entry}:{self.folder}:SYSTEM"))


if __name__ == "__main__":
    unittest.main()
