# SPDX-License-Identifier: BSD-3-Clause
"""The tester of IMPI and the reader of its traces. It shares no code with what it tests."""
