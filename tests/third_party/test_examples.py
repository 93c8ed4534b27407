# SPDX-License-Identifier: BSD-3-Clause
"""The projects of examples/plugins: built by CMake, and changed ones by one compiler line; tested,
and at work in jobs."""
import collections
import pathlib
import re
import shutil
import unittest

from prefix import EXAMPLES, WARNINGS, ThirdParty

SOURCES = {folder.name: next(folder.glob("*.cpp")) for folder in EXAMPLES.iterdir() if folder.is_dir()}


class Project(ThirdParty):
    def build(self, name, folder=None):
        """The component of a project, built by CMake the first time; it lies in `folder`."""
        folder, project = folder or self.scratch, self.root / name
        folder.mkdir(parents=True, exist_ok=True)
        if not project.exists():
            self.run_here("cmake", "-S", EXAMPLES / name, "-B", project, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                          f"-DCMAKE_CXX_FLAGS={WARNINGS}")
            self.run_here("cmake", "--build", project)
        return pathlib.Path(shutil.copy(project / f"tessera_{name}.so", folder))


class Examples(Project):
    def test_each_is_a_project_of_two_files_that_keeps_the_contract(self):
        self.assertEqual(len(SOURCES), 5)
        for name in SOURCES:
            with self.subTest(name):
                self.assertEqual(len(list((EXAMPLES / name).iterdir())), 2)
                self.keeps_the_contract(name.split("_")[0], self.build(name))

    def test_coll_mine_is_used_and_explained(self):
        plugin = self.build("coll_mine")
        run = self.job("--explain=coll", path=plugin.parent, ranks=3)
        self.assertEqual(run.stdout, "ok\n")
        self.assertRegex(run.stderr, r"allreduce of 4\.\.7 bytes on MPI_COMM_WORLD.*\n  \* mine +yes, score 90: exchange")

    def test_op_saturate_serves_the_sums_it_offers(self):
        plugin = self.build("op_saturate")
        run = self.job("--explain", path=plugin.parent, ranks=2)
        self.assertEqual(run.stdout, "ok\n")
        self.assertRegex(run.stderr, r"op: which loop serves MPI_SUM on MPI_INT .*\n  \* saturate +yes, score 50\n    core +yes, score 20")
        for without in (("--mca", "op", "^saturate"), ("--mca", "op_saturate_priority", "20")):
            with self.subTest(without):
                text = self.job("--explain", *without, path=plugin.parent, ranks=2).stderr
                self.assertRegex(text, r"which loop serves MPI_SUM on MPI_INT .*\n  \* core +yes")
        named = self.job("--explain", "--mca", "op", "saturate", "--mca", "op_saturate_priority", "0", path=plugin.parent).stderr
        self.assertIn("* saturate", named)

    def test_op_components_that_fail(self):
        refusing = self.edited(SOURCES["op_saturate"], ("{ return {}; }", '{ return Status::failure(Errc::refused, "not today"); }'))
        plugin = self.compile(refusing)
        run = self.job("--explain", path=plugin.parent)
        self.assertEqual(run.stdout, "ok\n")
        self.assertRegex(run.stderr, r"    saturate +no: not today")
        silent = self.job(path=plugin.parent)
        self.assertEqual((silent.stdout, silent.stderr), ("ok\n", ""))
        named = self.job("--mca", "op", "saturate", path=plugin.parent, expect=16)
        self.assertIn("component op/saturate was requested by name but declined: not today", named.stderr)

    def test_topo_mine_is_asked(self):
        plugin = self.build("topo_mine")
        run = self.job("--explain", path=plugin.parent, ranks=4)
        self.assertEqual(run.stdout, "ok\n")
        self.assertRegex(run.stderr, r"which mapping of a topology costs least.*\n.*mine +yes, score .*: mine costs \d+")

    def test_pml_counter_counts_when_it_is_enabled(self):
        plugin = self.build("pml_counter")
        silent = self.job(path=plugin.parent)
        self.assertEqual((silent.stdout, silent.stderr), ("ok\n", ""))
        explained = self.job("--explain", path=plugin.parent).stderr
        self.assertRegex(explained, r"    counter +no: not asked for: pml_counter_enable is false")
        self.assertIn("rank 0 to 1", self.job("--mca", "pml", "ob1,counter", path=plugin.parent).stderr)  # named is asked for
        run = self.job("--mca", "pml_counter_enable", "true", "--explain", path=plugin.parent)
        self.assertRegex(run.stderr, r"pml: which interposers stand in front of it.*\n(?:    .*\n)*  \* counter +yes, score 50")
        for me, peer in ((0, 1), (1, 0)):
            found = re.search(rf"pml/counter: rank {me} to {peer}: (\d+) messages \((\d+) collective\), (\d+) bytes", run.stderr)
            messages, collective, count = map(int, found.groups())
            self.assertEqual(messages, collective + 1, "one message is the program's own, the others are of collectives")
            self.assertGreaterEqual(count, 4)

    def test_btl_recorder_sees_both_ends_of_each_way(self):
        plugin = self.build("btl_recorder")
        for transports, carrier in (("recorder,self,sm", "sm"), ("recorder,self,tcp", "tcp")):
            with self.subTest(carrier):
                self.job("--mca", "btl", transports, "--mca", "btl_recorder_file", f"{carrier}.log", path=plugin.parent, ranks=3)
                sent, received = collections.Counter(), collections.Counter()
                lines = "".join(file.read_text() for file in self.scratch.glob(f"{carrier}.log.*"))
                for me, peer, over, out, into in re.findall(
                        r"rank (\d+) and (\d+) over (\w+): sent (\d+) packets, \d+ bytes; received (\d+)", lines):
                    self.assertIn(over, ("self", carrier))
                    sent[me, peer] += int(out)
                    received[peer, me] += int(into)
                self.assertGreater(len(sent), 4)
                # What the last packets of a job say, the end of the other process may have
                # overtaken.
                for way, count in received.items():
                    self.assertLessEqual(count, sent[way], way)
                    self.assertGreater(count, 0, way)

    def test_an_interposer_that_fails_late_takes_its_transport_along(self):
        plugin = self.compile(self.edited(SOURCES["btl_recorder"], (
            "return recording.wrap(", """if (below.name()[1] == 'm') return Status::failure(Errc::refused, "too late");
    return recording.wrap(""")))
        run = self.job("--explain", path=plugin.parent)
        self.assertEqual(run.stdout, "ok\n")
        self.assertRegex(run.stderr, r"    sm +no: too late")
        self.assertRegex(run.stderr, r"  \* tcp +yes")

    def test_both_interposers_at_once(self):
        for name in ("btl_recorder", "pml_counter"):
            self.build(name, self.scratch / "plugins")
        run = self.job("--mca", "pml_counter_enable", "true", path=self.scratch / "plugins")
        self.assertIn("pml/counter: rank 0 to 1", run.stderr)
        self.assertIn("btl/recorder: rank 0 and 1 over sm", run.stderr)

    def test_two_interposers_stack_by_priority(self):
        source = SOURCES["pml_counter"]
        self.build("pml_counter", self.scratch / "plugins")
        second = self.edited(source, ("TESSERA_COMPONENT(pml, counter, \"1.0.0\", 50", "TESSERA_COMPONENT(pml, second, \"1.0.0\", 40"),
                             ('"interposes", "enable"', '"interposes", "always"'), ("pml/counter", "pml/second"))
        self.compile(second, self.scratch / "plugins")
        run = self.job("--mca", "pml_counter_enable", "true", "--explain", path=self.scratch / "plugins")
        self.assertRegex(run.stderr, r"in front of it, the last on top.*\n(?:    .*\n)*  \* second .*\n  \* counter ")
        counted = [re.search(rf"pml/{name}: rank 0 to 1: (.*)", run.stderr)[1] for name in ("counter", "second")]
        self.assertEqual(*counted)

    def test_an_interposer_that_declines_is_left_out(self):
        pml = self.edited(SOURCES["pml_counter"], ("me_ = host.job.my_id();", 'return Status::failure(Errc::refused, "not today");'),
                          ("if (!host.params", "if (host.params.text(\"file\").empty() && !host.params"),
                          ('"interposes", "enable"', '"interposes", "always"'))
        plugin = self.compile(pml)
        run = self.job("--explain", path=plugin.parent)
        self.assertRegex(run.stderr, "    counter +no: not today")
        self.assertIn("was requested by name but declined: not today",
                      self.job("--mca", "pml", "counter,ob1", path=plugin.parent, ranks=1, expect=16).stderr)
        btl = self.edited(SOURCES["btl_recorder"], ("file_ = host.params", "if (below.name()[1] == 'm') return Errc::refused;\n    file_ = host.params"))
        plugin = self.compile(btl)
        run = self.job("--explain", path=plugin.parent)
        self.assertEqual(run.stdout, "ok\n")
        self.assertRegex(run.stderr, r"sm .*in front of it: recorder \(not: ")
        self.assertNotIn("over sm", run.stderr)


class Placing(Project):
    def test_dropped_into_the_users_folder(self):
        self.build("coll_mine", self.scratch / ".tessera" / "components")
        self.assertIn("* mine", self.job("--explain=coll").stderr)
        self.assertNotIn("exchange", self.job("--explain=coll", "--mca", "coll", "^mine").stderr)

    def test_a_shipped_one_can_be_shadowed(self):
        source = self.edited(SOURCES["topo_mine"], ("TESSERA_COMPONENT(topo, mine", "TESSERA_COMPONENT(topo, basic"))
        plugin = self.compile(source, self.scratch / "plugins")
        listed = self.run_here("ompi-info", "--mca", "mca_component_path", f"{plugin.parent}:SYSTEM", "--framework", "topo")
        self.assertRegex(" ".join(listed.stdout.split()), r"shadowed by \S*/plugins/tessera_topo_basic\.so")
        self.assertIn("basic costs", self.job("--explain", path=plugin.parent).stderr)

    def test_not_all_frameworks_have_interposers(self):
        source = self.edited(SOURCES["op_saturate"], ('"Sums of signed integers that saturate")', '"Sums of signed integers that saturate", TESSERA_FACT("interposes", "always"))'))
        plugin = self.compile(source, self.scratch / "plugins")
        listed = self.run_here("ompi-info", "--mca", "mca_component_path", f"{plugin.parent}:SYSTEM", "--framework", "op")
        self.assertIn("framework op has no interposers", " ".join(listed.stdout.split()))
        self.assertEqual(self.job(path=plugin.parent).stdout, "ok\n")

    def test_what_is_not_wanted_is_not_opened(self):
        for name in ("pml_counter", "coll_mine"):
            self.build(name, self.scratch / "plugins")
        self.job("--mca", "coll", "basic", path=self.scratch / "plugins", LD_DEBUG="files",
                 LD_DEBUG_OUTPUT=str(self.scratch / "opened"))
        opened = "".join(file.read_text() for file in self.scratch.glob("opened.*"))
        self.assertIn("tessera_pml_ob1.so", opened)
        self.assertIn("tessera_coll_basic.so", opened)
        for lost in ("pml_counter", "coll_mine", "btl_tcp", "coll_sm"):
            self.assertNotIn(f"tessera_{lost}.so", opened)


if __name__ == "__main__":
    unittest.main()
