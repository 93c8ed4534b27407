// SPDX-License-Identifier: BSD-3-Clause
// Holds the precompiled header that all components share; never built.
