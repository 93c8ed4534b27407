# SPDX-License-Identifier: BSD-3-Clause
"""Hosts with several networks: one of two drops what comes, both do, and an address that both hosts
have.

Usage: networks.py PROGRAM                       exits 77 where hosts or Hydra cannot be had
"""
import pathlib
import re
import subprocess
import sys
import unittest

import private_hosts
from private_hosts import CLEAN, SHELL

PROGRAM = sys.argv[1]
NETWORKS = ("10.77.0", "10.78.0")  # the engine uses the first


def sh(command):
    subprocess.run(["sh", "-ec", command], env=CLEAN, check=True, timeout=60, stdin=subprocess.DEVNULL)


def on(host, command):
    subprocess.run([SHELL, f"node{host}", command], env=CLEAN, check=True, timeout=60, stdin=subprocess.DEVNULL)


def second_network():
    sh("ip link add br1 type bridge; ip link set br1 up")
    for host in (1, 2):
        inner = pathlib.Path(f"/run/cluster/node{host}.pid").read_text().strip()
        sh(f"ip link add w{host} type veth peer name eth1 netns {inner}; ip link set w{host} master br1 up")
        on(host, f"ip addr add 10.78.0.{host}/24 dev eth1; ip link set eth1 up")


class Networks(unittest.TestCase):
    def run_job(self, *arguments, limit=20, links=1):
        words = ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", SHELL, "-hosts", "node1,node2", "-ppn", "1", "-n", "2", PROGRAM]
        environment = dict(CLEAN, TESSERA_MCA_btl_tcp_connect_timeout=str(limit), TESSERA_MCA_btl_tcp_links=str(links))
        return subprocess.run([*words, *arguments], env=environment, capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL)

    def works(self):
        done = self.run_job()
        self.assertEqual((done.returncode, done.stdout), (0, "size 2 local 1 nodes 2 sum 1 wrong 0\n"), done.stderr)

    def drop(self, *networks):
        """What one host sends to the other vanishes: it goes to a hardware address that nobody
        has."""
        for network in networks:
            device = f"eth{NETWORKS.index(network)}"
            for host, other in ((1, 2), (2, 1)):
                on(host, f"ip neigh replace {network}.{other} lladdr 02:00:00:00:00:99 dev {device} nud permanent")
                self.addCleanup(on, host, f"ip neigh del {network}.{other} dev {device}")

    def test_one_network_drops(self):
        for network in NETWORKS:
            with self.subTest(network=network):
                self.drop(network)
                self.works()
                self.doCleanups()

    def sent(self):
        """Megabytes that the first host has sent on each network."""
        counters = subprocess.run([SHELL, "node1", "cat /proc/net/dev"], env=CLEAN, capture_output=True, text=True, timeout=60, check=True,
                                  stdin=subprocess.DEVNULL).stdout
        return [int(re.search(rf"{device}:(?:\s+\d+){{8}}\s+(\d+)", counters).group(1)) >> 20 for device in ("eth0", "eth1")]

    def carried(self, links):
        before = self.sent()
        done = self.run_job("carry", links=links)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [now - then for now, then in zip(self.sent(), before)]

    def test_links_take_one_network_each(self):
        first, second = self.carried(links=2)
        self.assertGreater(min(first, second), 10, (first, second))
        self.assertGreaterEqual(first + second, 58)
        self.drop(NETWORKS[1])  # the second link goes where the first one does
        self.assertGreaterEqual(self.carried(links=2)[0], 58)

    def test_both_networks_drop(self):
        self.drop(*NETWORKS)
        done = self.run_job(limit=3)
        self.assertNotEqual(done.returncode, 0)
        for network in NETWORKS:
            self.assertRegex(done.stderr, rf"{network}\.[12]:\d+: no answer", done.stderr)

    def test_an_address_of_both_hosts(self):
        for host in (1, 2):
            on(host, "ip link add docker0 type bridge; ip addr add 172.17.0.1/16 dev docker0; ip link set docker0 up")
            self.addCleanup(on, host, "ip link del docker0")
        self.works()
        self.drop(*NETWORKS)
        self.assertRegex(self.run_job(limit=3).stderr, r"172\.17\.0\.1:\d+: \w+")


def outside():
    private_hosts.need("mpiexec.hydra")
    private_hosts.need_hosts()
    sys.exit(private_hosts.run_again(2, 280))


if not private_hosts.are_here():
    outside()
second_network()
result = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=2).result
sys.exit(not result.wasSuccessful())
