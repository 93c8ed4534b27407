// SPDX-License-Identifier: BSD-3-Clause
// The functions of fmt that are not in its headers, so that no process has to load its library;
// there is no archive of it on Debian. This file compiles those asked for here, with all that they
// need.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

[[gnu::used]] static const auto vformat =
    static_cast<std::string (*)(fmt::string_view, fmt::format_args)>(fmt::vformat);
[[gnu::used]] static const auto vprint =
    static_cast<void (*)(std::FILE*, fmt::string_view, fmt::format_args)>(fmt::vprint);
[[gnu::used]] static const auto is_printable =
    static_cast<bool (*)(std::uint32_t)>(fmt::detail::is_printable);
[[gnu::used]] static const auto throw_format_error =
    static_cast<void (*)(const char*)>(fmt::detail::throw_format_error);
