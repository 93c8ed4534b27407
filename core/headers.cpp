// SPDX-License-Identifier: BSD-3-Clause
// Holds the precompiled header of the engine; never built.
