# SPDX-License-Identifier: BSD-3-Clause
"""The bytes of IMPI 0.0: commands, labels, packets, as the protocol document has them."""
import ipaddress
import struct
from collections import namedtuple

LABELS = {0x1000: "C_VERSION", 0x1100: "C_NHOSTS", 0x1200: "C_NPROCS", 0x1300: "C_DATALEN", 0x1400: "C_TAGUB",
          0x1500: "C_COLL_XSIZE", 0x1600: "C_COLL_MAXLINEAR", 0x2000: "H_IPV6", 0x2100: "H_PORT", 0x2200: "H_NPROCS",
          0x2300: "H_ACKMARK", 0x2400: "H_HIWATER", 0x3000: "P_IPV6", 0x3100: "P_PID"}
TYPES = ("DATA", "DATASYNC", "PROTOACK", "SYNCACK", "CANCEL", "CANCELYES", "CANCELNO", "FINI")
METHODS = {0: "none", 1: "key", 16: "challenge"}
HEADER = struct.Struct(">II16sq16sqQQQiiQQqQQ")
Packet = namedtuple("Packet", "type length src_host src_pid dst_host dst_pid srqid drqid msglen lsrank tag cid seqnum count "
                              "dtype reserved")


def u32(*numbers):
    return struct.pack(f">{len(numbers)}I", *(n & 0xFFFFFFFF for n in numbers))


def command(code, payload=b""):
    return code + u32(len(payload)) + payload


def packet(kind, source=(bytes(16), 0), target=(bytes(16), 0), data=b"", msglen=None, **fields):
    """A packet of a type by name, with its data; whatever is not said is 0."""
    header = Packet(TYPES.index(kind) if kind in TYPES else kind, len(data), *source, *target, 0, 0,
                    len(data) if msglen is None else msglen, *[0] * 7)
    return HEADER.pack(*header._replace(**fields)) + data


def address_text(identifier):
    """The address in 16 bytes: mapped and compatible IPv4 addresses in dotted form."""
    if identifier[:10] == bytes(10) and identifier[10:12] in (b"\0\0", b"\xff\xff"):
        return str(ipaddress.IPv4Address(identifier[12:]))
    return str(ipaddress.IPv6Address(identifier))


def numbers_text(values, width):
    return ", ".join(str(int.from_bytes(values[i:i + width], "big", signed=width == 8)) for i in range(0, len(values), width))


def values_text(label, values):
    """The values of a label as a person reads them."""
    name = LABELS.get(label, "")
    if name.endswith("IPV6"):
        return ", ".join(address_text(values[i:i + 16].ljust(16, b"\0")) for i in range(0, len(values), 16))
    if name == "C_VERSION":
        pairs = [values[i:i + 8].ljust(8, b"\0") for i in range(0, len(values), 8)]
        return ", ".join("{}.{}".format(*struct.unpack(">II", pair)) for pair in pairs)
    if not name:
        return values[:32].hex(" ") + (" ..." if len(values) > 32 else "")
    if name == "P_PID":
        return numbers_text(values, 8)
    return numbers_text(values, 4).replace("4294967295", "-1")


def command_text(frame, reply=False):
    """A whole command. A reply to a label has the mask of the clients before the values."""
    code, payload = frame[:4], frame[8:]
    name = code.decode("ascii", "replace")
    if name == "AUTH" and len(payload) >= 4:
        mask = int.from_bytes(payload[:4], "big")
        return "AUTH methods " + (", ".join(METHODS.get(m, str(m)) for m in range(32) if mask >> m & 1) or "of no kind")
    if name == "IMPI" and len(payload) == 4:
        return f"IMPI {'clients' if reply else 'rank'} {int.from_bytes(payload, 'big', signed=True)}"
    if name == "COLL" and len(payload) >= (8 if reply else 4):
        label, values = int.from_bytes(payload[:4], "big"), payload[8 if reply else 4:]
        mask = f" of clients {{{', '.join(str(i) for i in range(32) if payload[4 + (31 - i) // 8] >> i % 8 & 1)}}}" if reply else ""
        return f"COLL {LABELS.get(label, hex(label))}{mask}: {values_text(label, values)}"
    return name + (f" {payload.hex(' ')}" if payload else "")


def packet_text(frame):
    """A packet: what its type uses, by name."""
    fields = Packet._make(HEADER.unpack(frame[:128]))
    name = TYPES[fields.type] if fields.type < len(TYPES) else f"type {fields.type}"
    if name == "FINI":
        return name
    words = [name, f"{address_text(fields.src_host)}/{fields.src_pid} -> {address_text(fields.dst_host)}/{fields.dst_pid}"]
    if name in ("DATA", "DATASYNC"):
        words += [f"cid {fields.cid} rank {fields.lsrank} tag {fields.tag}", f"{fields.length} of {fields.msglen} bytes"]
    if name != "PROTOACK":
        words += [f"request {fields.srqid}"]
    if fields.drqid:
        words += [f"for {fields.drqid}"]
    return " ".join(words)
