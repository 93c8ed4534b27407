# SPDX-License-Identifier: BSD-3-Clause
# The parts of bench/run: libraries, jobs, the plan of cases, results and targets, reports and
# curves.
