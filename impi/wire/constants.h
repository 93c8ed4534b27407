// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the IMPI protocol, version 0.0: commands, labels, packet types, tags, limits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::impi {

// Client and server: each command is four characters.
enum class Command : std::uint32_t {
  auth = 0x41555448,
  impi = 0x494D5049,
  coll = 0x434F4C4C,
  done = 0x444F4E45,
  fini = 0x46494E49,
};

// What clients tell one another through the server. C: one value per client, H: per host, P: per
// process.
enum class Label : std::uint32_t {
  none = 0,
  c_version = 0x1000,
  c_nhosts = 0x1100,
  c_nprocs = 0x1200,
  c_datalen = 0x1300,
  c_tagub = 0x1400,
  c_coll_xsize = 0x1500,
  c_coll_maxlinear = 0x1600,
  h_ipv6 = 0x2000,
  h_port = 0x2100,
  h_nprocs = 0x2200,
  h_ackmark = 0x2300,
  h_hiwater = 0x2400,
  p_ipv6 = 0x3000,
  p_pid = 0x3100,
};
// Labels from here on are free for agreements between implementations; they sort behind all others.
inline constexpr std::uint32_t kFirstPrivateLabel = 0x7F000000;

// Methods of authentication by number; bit m of the mask stands for method m.
enum class AuthMethod : std::uint32_t {
  none = 0,
  key = 1,
  hmac = 16,  // ours: a challenge is answered, no secret is sent
};

enum class PacketType : std::uint32_t {
  data = 0,
  datasync = 1,
  protoack = 2,
  syncack = 3,
  cancel = 4,
  cancelyes = 5,
  cancelno = 6,
  fini = 7,
};
inline constexpr std::uint32_t kPacketTypes = 8;

inline constexpr std::size_t kCommandBytes = 8;
inline constexpr std::size_t kAuthReplyBytes = 8;
inline constexpr std::size_t kKeyBytes = 8;
inline constexpr std::size_t kHostRankBytes = 4;
inline constexpr std::size_t kPacketBytes = 128;
inline constexpr std::size_t kHostIdBytes = 16;
inline constexpr std::size_t kProcIdBytes = 24;

inline constexpr std::uint32_t kMostClients = 32;  // the mask of a COLL reply has 32 bits
inline constexpr std::uint32_t kLeastTagUb = 32767;
inline constexpr std::uint32_t kMostTagUb = 2147483647;
inline constexpr std::int32_t kDefaultXsize = 1024;
inline constexpr std::int32_t kDefaultMaxlinear = 4;

inline constexpr std::uint64_t kMaxCid = 18446744073709551600U;
inline constexpr std::uint64_t kWorldCid = 0;  // collectives use the number after it

// Tags of the messages of collective operations and of constructors of communicators.
inline constexpr std::int32_t kBarrierTag = 110;
inline constexpr std::int32_t kBcastTag = 120;
inline constexpr std::int32_t kGatherTag = 130;
inline constexpr std::int32_t kGathervTag = 140;
inline constexpr std::int32_t kScatterTag = 150;
inline constexpr std::int32_t kScattervTag = 160;
inline constexpr std::int32_t kAlltoallTag = 170;
inline constexpr std::int32_t kAlltoallvTag = 180;
inline constexpr std::int32_t kReduceTag = 190;
inline constexpr std::int32_t kScanTag = 200;
inline constexpr std::int32_t kDupTag = 210;
inline constexpr std::int32_t kMergeTag = 220;
inline constexpr std::int32_t kCommFreeTag = 230;

}  // namespace tessera::impi
