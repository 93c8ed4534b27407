#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the table that the Fortran bindings are written from: test_table.py SOURCE [unittest
options].

A change of the table or of its rules changes a number here, so it is seen.
"""
import collections
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "tools" / "bindings"))

import fortran_text  # noqa: E402
import interfaces  # noqa: E402
import mpif  # noqa: E402
import table  # noqa: E402
import watched  # noqa: E402

KINDS = {"walk": 184, "copy": 204, "whole": 13, "first": 15, "detached": 6, "address_out": 7, "logical": 9, "logical_out": 26,
         "string": 34, "string_out": 13, "callback": 24, "attribute": 8, "extra_state": 7, "handle_inout": 20, "weights": 5}


class Table(unittest.TestCase):
    def setUp(self):
        self.procedures = table.load()
        self.arguments = [(p, a) for p in self.procedures for a in p.arguments]

    def test_each_argument_has_a_kind(self):
        self.assertEqual([(p.name, a.name) for p, a in self.arguments if a.kind == "unknown"], [])
        kinds = collections.Counter(a.kind for _, a in self.arguments)
        self.assertEqual({kind: kinds[kind] for kind in KINDS}, KINDS)

    def test_procedures(self):
        self.assertEqual(len(self.procedures), 601)
        self.assertEqual(sum(p.is_large for p in self.procedures), 161)
        removed = [p for p in self.procedures if p.group == "removed in MPI 3.0"]
        self.assertEqual((len(removed), any(p.in_f08 for p in removed)), (10, False))

    def test_each_procedure_runs_in_each_form(self):
        """req fortran 1.14: by the generated program, or by the programs in tests/fortran/forms,
        which have one text for all forms"""
        texts = "".join(path.read_text(encoding="utf-8").upper() for path in (SOURCE / "tests/fortran/forms").glob("*.F90"))
        by_hand = [p.name for p in self.procedures if not watched.is_watched(p)]
        # A generic name has large counts: the text calls it under F08 with those, too.
        missing = [name for name in by_hand if not re.search(rf"\b{name.removesuffix('_c').upper()}(_C)?\(", texts)]
        self.assertEqual(missing, [])
        self.assertGreater(len(self.procedures), 8 * len(by_hand))

    def test_buffers_in_use_are_asynchronous(self):
        """req fortran 8.105, 3.34"""
        marked = [(p.name, a.name) for p, a in self.arguments if p.in_f08 and fortran_text.is_asynchronous(a, p)]
        missing = [p.name for p, a in self.arguments if a.is_choice and (p.name, a.name) not in marked and (
            any(b.c_type == "MPI_Request" and b.kind == "handle_out" for b in p.arguments)) and p.in_f08]
        self.assertEqual(missing, [])
        for name in ("MPI_Put", "MPI_Get", "MPI_Win_create", "MPI_Buffer_attach", "MPI_File_read_all_begin", "MPI_Irecv_c"):
            self.assertIn(name, {procedure for procedure, _ in marked})
        self.assertNotIn("MPI_Send", {procedure for procedure, _ in marked})
        self.assertIn(("MPI_Ialltoallv", "sdispls"), marked)

    def test_dummies_that_take_anything(self):
        """req fortran 3.30, 3.33: directives of three compilers, and no ASYNCHRONOUS, which would
        refuse careful programs"""
        module = "\n".join(interfaces.mpi_interfaces(self.procedures))
        for text in (module, mpif.text(self.procedures, table.constants())):
            loose = re.findall(r"NO_ARG_CHECK :: (\w+)\n!DEC\$ ATTRIBUTES NO_ARG_CHECK :: \1\n!DIR\$ IGNORE_TKR \1\n", text)
            self.assertEqual((len(loose), len(loose)), (text.count("!GCC$"), text.count("!DIR$")))
            self.assertGreater(len(loose), 400)
            self.assertNotIn("asynchronous", text.lower().replace("mpi_async_protects", ""))

    def test_bodies_hand_over_standard_descriptors(self):
        """req fortran 3.36"""
        choices = [s for p in interfaces.f08_generics(self.procedures) if p.has_choice for s in interfaces.specifics(p)]
        self.assertEqual([p.name for p in choices if not re.search(r"bind\(C,[ &\n]*name=", interfaces.f08_body("MPI_", p))], [])

    def test_no_extension_of_addresses(self):
        """req fortran 4.58: neither Cray pointers nor LOC"""
        text = mpif.text(self.procedures, table.constants()) + "".join(
            path.read_text(encoding="utf-8") for path in (SOURCE / "fortran/modules").iterdir())
        code = "\n".join(line.split("!")[0] for line in text.splitlines())
        self.assertEqual(re.findall(r"(?i)^\s*pointer\s*\(|\bloc\s*\(", code, re.MULTILINE), [])

    def test_large_counts_only_where_kinds_differ(self):
        """req fortran 10.117"""
        same = {p.name for p in self.procedures if p.large and p.large not in interfaces.specifics(p)}
        self.assertEqual(same, {"MPI_File_get_type_extent", "MPI_Op_create", "MPI_Register_datarep", "MPI_Type_create_resized",
                                "MPI_Type_get_extent", "MPI_Type_get_true_extent"})

    def test_mpif_reads_in_both_forms(self):
        """req fortran 1.2"""
        for line in mpif.text(self.procedures, table.constants()).splitlines():
            self.assertNotIn("\t", line)
            self.assertTrue(line.startswith(("!", "      ", "     &")), line)
            self.assertLessEqual(len(line) if not line.endswith("&") else 73, 73)
            self.assertTrue(line.startswith("!") or "&" not in line[72:] or len(line) == 73, line)


if __name__ == "__main__":
    unittest.main()
