# SPDX-License-Identifier: BSD-3-Clause
"""Parameters among ranks: those that must agree, and those that a communicator has of its own.

Usage: check_ranks.py MPIEXEC PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]
KEY = "tessera.coll_basic_allreduce_algorithm"


def run(*words, **variables):
    environment = {name: value for name, value in os.environ.items() if "_MCA_" not in name}
    done = subprocess.run([MPIEXEC, "--timeout", "60", *words], env={**environment, "HOME": "/nonexistent", **variables},
                          capture_output=True, text=True, timeout=240)
    return done.returncode, done.stdout, " ".join(done.stderr.split())


class Communicators(unittest.TestCase):
    def ask(self, how, *pairs, options=()):
        code, out, err = run(*options, "--explain=coll", "-n", "3", PROGRAM, how, *pairs)
        self.assertEqual(code, 0, err)
        return out, err

    def test_an_algorithm_of_its_own(self):
        for how in ("dup", "idup", "set"):
            out, err = self.ask(how, KEY, "ring", "tessera.coll", "basic")
            self.assertEqual(out, f"ok\n{KEY} ring\ntessera.coll basic\n")
            self.assertIn(f"ring ({KEY} = ring)", err)

    def test_it_comes_before_the_parameter(self):
        mca = ("--mca", "coll_basic_allreduce_algorithm", "reduce_bcast")
        _, err = self.ask("dup", "tessera.coll", "basic", options=mca)
        self.assertIn("reduce_bcast (coll_basic_allreduce_algorithm = reduce_bcast)", err)
        _, err = self.ask("dup", KEY, "ring", "tessera.coll", "basic", options=mca)
        self.assertIn(f"ring ({KEY} = ring)", err)

    def test_who_asks_for_an_algorithm_gets_it(self):
        # Whatever other component would serve the operation.
        _, err = self.ask("dup", options=("--mca", "coll_basic_allreduce_algorithm", "ring"))
        self.assertIn("ring (coll_basic_allreduce_algorithm = ring)", err)
        _, err = self.ask("dup", KEY, "ring")
        self.assertIn(f"ring ({KEY} = ring)", err)

    def test_a_priority_of_its_own(self):
        out, _ = self.ask("dup", "tessera.coll_basic_priority", "99")
        self.assertEqual(out, "ok\ntessera.coll_basic_priority 99\n")

    def test_an_explanation_for_programs(self):
        code, out, err = run("--explain=json", "-n", "3", PROGRAM, "dup")
        self.assertEqual((code, out), (0, "ok\n"))
        chosen = {(decision["framework"], reply["component"])
                  for decision in json.loads(err)["decisions"] for reply in decision["replies"] if reply["chosen"]}
        self.assertLess({("pml", "ob1"), ("btl", "sm"), ("coll", "sm")}, chosen)

    def in_file(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".conf")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return "--tune", file.name

    def test_a_section_for_communicators_of_a_name(self):
        section = "[communicator m?ne, ranks >= 2]\ncoll_basic_allreduce_algorithm = ring\n"
        _, err = self.ask("dup", options=self.in_file(section))
        self.assertIn(f"ring ({KEY} = ring)", err)
        self.assertIn("on mine", err)
        _, err = self.ask("dup", options=self.in_file(section.replace("m?ne", "other|MPI_COMM_WORLD")))
        self.assertNotIn(f"ring ({KEY}", err)

    def test_who_is_stronger_than_a_section(self):
        section = self.in_file("[communicator mine]\ncoll_basic_allreduce_algorithm = ring\n")
        _, err = self.ask("dup", KEY, "reduce_bcast", options=section)  # the program's own key
        self.assertIn(f"reduce_bcast ({KEY} = reduce_bcast)", err)
        _, err = self.ask("dup", options=(*section, "--mca", "coll_basic_allreduce_algorithm", "reduce_bcast"))
        self.assertIn("reduce_bcast (coll_basic_allreduce_algorithm = reduce_bcast)", err)

    def test_mistakes_in_a_section_are_found_at_the_start(self):
        for line, hint in (("coll_basic_allreduce_algorithm = rong", "did you mean 'ring'?"),
                           ("btl_tcp_sndbuf = 4K", "it holds for the whole job, not for a communicator")):
            code, _, err = run(*self.in_file("[communicator nobody]\n" + line + "\n"), "-n", "2", PROGRAM)
            self.assertNotEqual(code, 0)
            self.assertIn(hint, err)
            self.assertIn(":2", err)  # the line

    def test_keys_of_others_are_kept(self):
        out, err = self.ask("set", "somebody_elses", "1")
        self.assertEqual(out, "ok\nsomebody_elses 1\n")
        self.assertNotIn("somebody_elses", err)

    def test_a_bad_value_is_an_error(self):
        for key, value, hint in ((KEY, "rong", "did you mean 'ring'?"), ("tessera.coll", "bsic", "did you mean 'basic'?"),
                                 ("tessera.coll_basic_priority", "101", "0..100")):
            for how in ("dup", "idup", "set"):
                out, err = self.ask(how, key, value)
                self.assertTrue(out.startswith("MPI_ERR_INFO_VALUE: "), out)
                self.assertIn(f"info key {key}", out)
                self.assertIn(hint, out)

    def test_an_unknown_key_is_told_once(self):
        key = "tessera.coll_basic_alreduce_algorithm"
        out, err = self.ask("dup", key, "ring")
        self.assertEqual(out, f"ok\n{key} (not kept)\n")
        self.assertEqual(err.count(f"info key {key}: unknown parameter (did you mean 'coll_basic_allreduce_algorithm'?)"), 1)
        out, _ = self.ask("dup", key, "ring", options=("--mca", "mca_strict", "1"))
        self.assertTrue(out.startswith("MPI_ERR_INFO_KEY: "), out)

    def test_what_cannot_be_given_to_a_communicator(self):
        _, err = self.ask("dup", "tessera.btl_tcp_sndbuf", "4K")
        self.assertIn("this parameter applies to the whole process", err)

    def test_too_late(self):
        out, err = self.ask("late", KEY, "ring")
        self.assertEqual(out, f"ok\n{KEY} (not kept)\n")
        self.assertEqual(err.count("is set too late"), 1)


class Ranks(unittest.TestCase):
    def start(self, first, others):
        def env(values):
            return [word for name, value in values.items() for word in ("--env", f"TESSERA_MCA_{name}", value)]
        return run("-n", "1", *env(first), PROGRAM, ":", "-n", "2", *env(others), PROGRAM)

    def test_a_difference_names_ranks_and_values(self):
        code, _, err = self.start({}, {"coll_basic_allreduce_algorithm": "ring"})
        self.assertNotEqual(code, 0)
        self.assertIn("[param-ranks-differ]", err)
        self.assertIn("'auto' on rank 0 (default)", err)
        self.assertRegex(err, r"'ring' on rank [12] \(environment variable TESSERA_MCA_coll_basic_allreduce_algorithm\)")

    def test_several_differences(self):
        code, _, err = self.start({"coll": "basic", "btl_sm_slots": "64"}, {"coll": "^basic", "btl_sm_slots": "128"})
        self.assertNotEqual(code, 0)
        self.assertIn("coll is 'basic' on rank", err.replace("'^basic'", "'basic'"))
        self.assertIn("btl_sm_slots is '", err)

    def test_equal_values_in_another_notation(self):
        code, out, err = self.start({"btl_sm_ring_size": "64K"}, {"btl_sm_ring_size": "65536"})
        self.assertEqual((code, out, err), (0, "ok\n", ""))

    def test_what_may_differ(self):
        code, out, err = self.start({"btl_tcp_sndbuf": "64K", "core_wait": "sleep"}, {"btl_tcp_sndbuf": "32K"})
        self.assertEqual((code, out, err), (0, "ok\n", ""))

    def test_all_alike(self):
        value = {"coll_basic_allreduce_algorithm": "ring"}
        self.assertEqual(self.start(value, value)[:2], (0, "ok\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
