#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec asks of Hydra, on this machine alone: starts -n processes and serves PMI-1 to them.

Told by its environment: FAKE_RECORD, a file for its words; FAKE_LOSES, the number of a process
whose store it closes once all have met twice."""
import os
import selectors
import signal
import socket
import subprocess
import sys

words = sys.argv[1:]
if record := os.environ.get("FAKE_RECORD"):
    with open(record, "w") as file:
        file.write("\n".join(words))
count = int(words[words.index("-n") + 1])
program = words[words.index("-n") + 2:]
loses = int(os.environ.get("FAKE_LOSES", -1))
processes, servers, store = [], {}, {}
waiting, status, fences = set(), 0, 0
select = selectors.DefaultSelector()
signal.signal(signal.SIGTERM, lambda *_: [each.terminate() for each in processes])

for rank in range(count):
    ours, theirs = socket.socketpair()
    environment = dict(os.environ, PMI_FD=str(theirs.fileno()), PMI_RANK=str(rank), PMI_SIZE=str(count))
    processes.append(subprocess.Popen(program, env=environment, pass_fds=[theirs.fileno()], start_new_session=True,
                                      stdin=None if rank == 0 else subprocess.DEVNULL))
    theirs.close()
    servers[rank] = ours
    select.register(ours, selectors.EVENT_READ, [rank, ours.makefile("rb")])


def say(rank, line):
    try:
        servers[rank].sendall(line.encode() + b"\n")
    except OSError:
        pass


def end(code):
    for each in processes:
        each.kill()
    for each in processes:
        each.wait()
    os._exit(code)


def fence(rank):
    global fences
    waiting.add(rank)
    if len(waiting) < count:
        return
    waiting.clear()
    fences += 1
    for each in range(count):
        say(each, "cmd=barrier_out")
    if loses >= 0 and fences == 2:
        servers[loses].shutdown(socket.SHUT_RDWR)


def serve(rank, line):
    words = dict(word.split("=", 1) for word in line.split())
    command = words["cmd"]
    if command == "init":
        say(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0")
    elif command == "get_maxes":
        say(rank, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024")
    elif command == "get_my_kvsname":
        say(rank, f"cmd=my_kvsname kvsname=kvs_{os.getpid()}")
    elif command == "get_appnum":
        say(rank, "cmd=appnum appnum=0")
    elif command == "get_universe_size":
        say(rank, "cmd=universe_size size=-1")
    elif command == "put":
        store[words["key"]] = words["value"]
        say(rank, "cmd=put_result rc=0 msg=success")
    elif command == "get":
        value = f"(vector,(0,{count},1))" if words["key"] == "PMI_process_mapping" else store.get(words["key"])
        say(rank, f"cmd=get_result rc=0 msg=success value={value}" if value is not None else "cmd=get_result rc=-1 msg=none")
    elif command == "barrier_in":
        fence(rank)
    elif command == "finalize":
        say(rank, "cmd=finalize_ack")
    elif command == "abort":
        end(int(words["exitcode"]))


while select.get_map():
    for key, _ in select.select():
        rank, file = key.data
        line = file.readline()
        if line:
            serve(rank, line.decode())
        else:
            select.unregister(key.fileobj)
for each in processes:
    status |= each.wait() & 255
sys.exit(status)
