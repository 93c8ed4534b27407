# SPDX-License-Identifier: BSD-3-Clause
"""Traces: their records, their text, their picture. The form is that of
impi/wire/trace_writer.h."""
import struct
from collections import namedtuple

from . import wire

MAGIC = b"IMPITRC1"
RECORD = struct.Struct(">QBBBBII")
KINDS = ("command", "auth_reply", "secret", "host_rank", "packet", "note")
Frame = namedtuple("Frame", "time kind sent writer peer size data")


class NoTrace(Exception):
    """The file is something else."""


def read(data):
    """The frames of a trace, up to the record that is not whole."""
    if not data.startswith(MAGIC):
        raise NoTrace("no trace: it does not begin with IMPITRC1")
    at, frames = len(MAGIC), []
    while at + RECORD.size <= len(data):
        time, kind, direction, writer, peer, size, kept = RECORD.unpack_from(data, at)
        at += RECORD.size
        end = at + writer + peer + kept
        if end > len(data) or kind >= len(KINDS):
            break
        names = data[at:at + writer + peer].decode("utf-8", "replace")
        frames.append(Frame(time, KINDS[kind], direction == 0, names[:writer], names[writer:], size, data[end - kept:end]))
        at = end
    return frames


def ends_of(frame):
    """(from, to)"""
    return (frame.writer, frame.peer) if frame.sent else (frame.peer, frame.writer)


def merged(frames):
    """By time; a frame that both of its ends recorded stands once, where it was sent."""
    sent = {}
    for frame in frames:
        if frame.sent and frame.kind != "note":
            key = (ends_of(frame), frame.kind, frame.data)
            sent[key] = sent.get(key, 0) + 1
    once = []
    for frame in sorted(frames, key=lambda f: f.time):
        key = (ends_of(frame), frame.kind, frame.data)
        if not frame.sent and sent.get(key):
            sent[key] -= 1
        else:
            once.append(frame)
    return once


def text_of(frame):
    if frame.kind == "note":
        return frame.data.decode("utf-8", "replace")
    if frame.kind == "secret":
        return f"({frame.size} secret bytes)"
    if frame.kind == "packet" and len(frame.data) >= 128:
        data = frame.data[128:144]
        return wire.packet_text(frame.data) + (f": {data.hex(' ')}{' ...' if frame.size > 144 else ''}" if data else "")
    if frame.kind == "host_rank":
        return f"I am host {int.from_bytes(frame.data, 'big', signed=True)}"
    if frame.kind == "auth_reply" and len(frame.data) >= 8:
        which = int.from_bytes(frame.data[:4], "big")
        return f"method {wire.METHODS.get(which, which)}"
    if frame.kind == "command" and len(frame.data) >= 8:
        return wire.command_text(frame.data, reply=ends_of(frame)[0] == "server")
    return frame.data.hex(" ")


def lines(frames):
    """Seconds since the first frame, who to whom, what."""
    names = [f"{a} -> {b}" if f.kind != "note" else f"{f.writer}, {f.peer}" for f in frames for a, b in [ends_of(f)]]
    width = max(map(len, names), default=0)
    for frame, name in zip(frames, names):
        yield f"{(frame.time - frames[0].time) / 1e9:10.6f}  {name:{width}}  {text_of(frame)}"


def diagram(frames):
    """A Mermaid sequence diagram: a column per participant, an arrow per frame, notes where they
    were taken."""
    yield "sequenceDiagram"
    names = {}
    for frame in frames:
        for name in ends_of(frame):
            names.setdefault(name, f"p{len(names)}")
    for name, short in names.items():
        yield f"  participant {short} as {name or 'unknown'}"
    for frame in frames:
        origin, target = (names[end] for end in ends_of(frame))
        text = text_of(frame).replace(";", ",").replace("#", "").replace("\n", " ")
        text = text[:79] + "…" if len(text) > 80 else text
        yield f"  Note over {origin},{target}: {text}" if frame.kind == "note" else f"  {origin}->>{target}: {text}"
