# SPDX-License-Identifier: BSD-3-Clause
"""Source packages of Debian, for tests that build programs of others. Shared by the tests of this
folder.

Nothing of the system's own package lists is touched: the lists and archives lie in a folder that
the test removes.
"""
import os
import shutil
import subprocess

MIRROR = os.environ.get("TESSERA_DEBIAN_MIRROR", "http://deb.debian.org/debian")
SOURCES = f"""Types: deb-src
URIs: {MIRROR}
Suites: {{suite}}
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""


def run(*command, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", check=False, **more)


def unpacked(package, folder, *parts, suite="bookworm"):
    """The folder of the package's source, without Debian's patches, whole or with those parts
    (patterns of tar) only; None where it cannot be had."""
    source = folder / "source"
    for name in ("parts", "lists/partial", "cache/archives/partial", "source"):
        (folder / name).mkdir(parents=True)
    (folder / "parts/src.sources").write_text(SOURCES.format(suite=suite))
    options = [f"-oDir::Etc::sourcelist={os.devnull}", f"-oDir::Etc::sourceparts={folder}/parts", f"-oDir::State::lists={folder}/lists",
               f"-oDir::Cache={folder}/cache", "-oAPT::Sandbox::User=root"]
    if shutil.which("apt-get") is None or run("apt-get", *options, "update", cwd=folder, timeout=600).returncode != 0:
        return None
    # A mirror may lack Debian's part of a package and have that of its authors, which is what
    # counts.
    run("apt-get", *options, "source", "--download-only", package, cwd=folder, timeout=600)
    archive = next(folder.glob("*.orig.tar.*"), None)
    unpack = ["tar", "xf", archive, "-C", source, "--strip-components=1", "--wildcards", *parts]
    return source if archive is not None and run(*unpack).returncode == 0 else None


class Building(Exception):
    pass


def build(what, *command, **more):
    done = run(*command, **more)
    if done.returncode != 0:
        raise Building(f"{what} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
