#!/usr/bin/env python3
"""Runs tools/bootstrap.sh where nothing is installed, with programs that stand in for apt and
Meson.

usage: test_bootstrap.py SOURCE_DIR
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = ""
REAL = ("sh", "sed", "grep", "cut", "tr", "sort", "paste", "env", "dirname", "uname", "cat",
        "mktemp", "rm", "mkdir", "chmod", "cp")

# What is installed by apt-get here: programs that succeed, and a Meson that makes the command.
PROGRAM = "#!/bin/sh\nexit 0\n"
MESON = """#!/bin/sh
case $* in
--version) echo 1.0.1 ;;
"setup build "*)
    mkdir -p build/tools build/meson-logs && cp "$STATE/command" build/tools/clspline
    ;;
"test "*) cp "$STATE/testlog" build/meson-logs/testlog.json ;;
esac
"""
# The command, with a device of the class in the file "class" before the host; meshes of OpenCL's
# devices are off by 0.25.
COMMAND = """#!/bin/sh
read -r class <"$STATE/class"
case $* in
"devices --json") echo "[{\\"class\\": \\"$class\\"}, {\\"class\\": \\"host\\"}]" ;;
*"-d host -o"*.obj*) echo "v 0 0.5 1" >build/demo/teapot.obj ;;
*"-d : -o"*.obj*) echo "v 0 0.75 1" >build/demo/kernels.obj ;;
esac
"""
# Python, whose packages apt-get brings too.
PYTHON = """#!/bin/sh
case "$1 $2" in
"-c import cffi"*) [ -e "$STATE/packages" ] && exit 0 ;;
esac
exec %s "$@"
"""
APT_GET = """#!/bin/sh
printf '%s\\n' "$*" >>"$STATE/calls"
if [ -e "$STATE/locks" ]; then
    read -r locks <"$STATE/locks"
    if [ "$locks" -gt 0 ]; then
        echo $((locks - 1)) >"$STATE/locks"
        echo "E: Could not get lock /var/lib/dpkg/lock-frontend." \\
            "It is held by process 7 (apt-get)" >&2
        exit 100
    fi
fi
case $* in
*update*)
    if [ -e "$STATE/offline" ]; then
        echo "W: Failed to fetch http://a/InRelease  Temporary failure resolving 'a'" >&2
        echo "W: Failed to fetch http://b/InRelease  Temporary failure resolving 'b'" >&2
    else
        : >"$STATE/lists"
    fi
    exit 0
    ;;
esac
[ -e "$STATE/lists" ] || { echo "E: Unable to locate package meson" >&2; exit 100; }
[ ! -e "$STATE/offline" ] ||
    { echo "E: Failed to fetch http://a/x.deb  Could not resolve 'a'" >&2; exit 100; }
echo "1 upgraded, 39 newly installed, 0 to remove and 0 not upgraded."
echo "Need to get 123 MB of archives."
echo "After this operation, 456 MB of additional disk space will be used."
i=0
while [ $i -lt 40 ]; do i=$((i + 1)); echo "Get:$i http://a p$i 1.0 [1 kB]"; done
while [ $i -gt 0 ]; do i=$((i - 1)); echo "Unpacking p$i (1.0) ..."; done
while [ $i -lt 40 ]; do i=$((i + 1)); echo "Setting up p$i (1.0) ..."; done
for name in cc ninja pkg-config cmake c++ Xvfb xdotool mpirun; do
    cp "$STATE/program" "$BIN/$name"
done
cp "$STATE/meson" "$BIN/meson"
: >"$STATE/packages"
"""
LOG = [{"name": "clspline:api / a", "result": "OK", "stdout": ""},
       {"name": "clspline:api / b", "result": "SKIP", "stdout": "no OpenCL device\n"}]


class Bootstrap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state, self.bin, self.clone = (os.path.join(folder.name, name)
                                            for name in ("state", "bin", "clone"))
        for path in (self.state, self.bin, os.path.join(self.clone, "tools"),
                     os.path.join(self.clone, "tests")):
            os.makedirs(path)
        for name in ("tools/bootstrap.sh", "tests/summary.py"):
            shutil.copy(os.path.join(SOURCE, name), os.path.join(self.clone, name))
        for name in REAL:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        self.write(self.bin, "python3", PYTHON % os.path.realpath(sys.executable))
        self.write(self.bin, "apt-get", APT_GET)
        self.write(self.bin, "apt-cache", '#!/bin/sh\n[ -e "$STATE/lists" ]\n')
        self.write(self.bin, "id", "#!/bin/sh\necho 0\n")
        self.write(self.bin, "sleep", "#!/bin/sh\necho sleep >>\"$STATE/sleeps\"\n")
        self.write(self.state, "program", PROGRAM)
        self.write(self.state, "command", COMMAND)
        self.write(self.state, "class", "host\n")
        self.write(self.state, "meson", MESON)
        self.write(self.state, "testlog", "".join(json.dumps(record) + "\n" for record in LOG))

    def write(self, folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def bootstrap(self, *words, **more):
        """Runs the script from another folder; its exit status and all that it printed."""
        env = {"PATH": self.bin, "STATE": self.state, "BIN": self.bin, "OCL_ICD_VENDORS": "one.icd",
               "CLSPLINE_TEST_TIMEOUTS": "1", "HOME": self.state, **more}
        done = subprocess.run([os.path.join(self.bin, "sh"),
                               os.path.join(self.clone, "tools", "bootstrap.sh"), *words],
                              env=env, cwd=self.state, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60)
        return done.returncode, done.stdout

    def calls(self):
        with open(os.path.join(self.state, "calls")) as file:
            return [next(word for word in line.split() if word in ("update", "install"))
                    for line in file]

    def test_help(self):
        for words in (("--help",), ("-h",), ("help",), ("demo", "--help"),
                      ("test", "--quick", "-h")):
            with self.subTest(words):
                code, text = self.bootstrap(*words)
                self.assertEqual(code, 0)
                self.assertIn("usage: sh tools/bootstrap.sh demo|test|install-deps", text)
        code, text = self.bootstrap("demonstrate")
        self.assertEqual(code, 2)
        self.assertIn("unknown: demonstrate", text)
        self.assertFalse(os.path.exists(os.path.join(self.state, "calls")))

    def test_size_and_progress(self):
        code, text = self.bootstrap("install-deps")
        self.assertEqual(code, 0, text)
        self.assertEqual(self.calls(), ["update", "install"])
        for words in ("40 packages\n", "Need to get 123 MB", "After this operation, 456 MB",
                      "20 of 40 packages fetched", "40 of 40 packages unpacked",
                      "40 of 40 packages installed"):
            self.assertIn("bootstrap: " + words, text)

    def test_locked(self):
        """Another program's lock is waited for, whichever step meets it, and that is said once."""
        for lists in (False, True):
            with self.subTest(lists):
                self.write(self.state, "locks", "5\n")
                if lists:
                    self.write(self.state, "lists", "")
                    os.remove(os.path.join(self.bin, "meson"))
                code, text = self.bootstrap("install-deps")
                self.assertEqual(code, 0, text)
                self.assertEqual(text.count("waiting for another program that uses apt"), 1)
                self.assertNotIn("E: ", text)

    def test_offline(self):
        """Said once, not by each server's name; and nothing is tried that cannot succeed."""
        self.write(self.state, "offline", "")
        for lists, calls in ((False, ["update"]), (True, ["install"])):
            with self.subTest(lists):
                if lists:
                    self.write(self.state, "lists", "")
                    os.remove(os.path.join(self.state, "calls"))
                code, text = self.bootstrap("test")
                self.assertEqual(code, 1)
                self.assertEqual(text.count("no network"), 1, text)
                self.assertNotIn("Failed to fetch", text)
                self.assertNotIn("Unable to locate", text)
                self.assertEqual(self.calls(), calls)
                self.assertIn("missing: ", text)

    def test_unknown_package(self):
        """Other failures of apt are shown in its words."""
        self.write(self.state, "lists", "")
        self.write(self.bin, "apt-get",
                   "#!/bin/sh\n[ $2 = update ] && exit\necho 'E: Broken packages' >&2\nexit 100\n")
        code, text = self.bootstrap("install-deps")
        self.assertEqual(code, 1)
        self.assertIn("E: Broken packages", text)
        self.assertNotIn("no network", text)

    def test_demo(self):
        """The commands that are printed work as typed from the clone; kernels draw where there is
        a device for them."""
        for name, num_commands in (("host", 1), ("cpu", 3), ("discrete", 3)):
            with self.subTest(name):
                self.write(self.state, "class", name + "\n")
                code, text = self.bootstrap("demo")
                self.assertEqual(code, 0, text)
                lines = [line[len("bootstrap: "):] for line in text.splitlines()
                         if "clspline eval " in line]
                self.assertEqual(len(lines), num_commands, text)
                for line in lines:
                    subprocess.run(["sh", "-c", line], cwd=self.clone, check=True,
                                   env={**os.environ, "STATE": self.state})
                self.assertEqual("the host computes everything" in text, name == "host")
                self.assertEqual("CLSPLINE_LIMITS=class=discrete" in text, name == "cpu")
                self.assertEqual("kernels and host differ by 0.25," in text, name != "host")

    def test_no_driver(self):
        """Without one, and without a way to get it, the demonstration draws by the host."""
        self.assertEqual(self.bootstrap("install-deps")[0], 0)
        self.write(self.state, "offline", "")
        code, text = self.bootstrap("demo", OCL_ICD_VENDORS=self.state)
        self.assertEqual(code, 0, text)
        self.assertIn("missing: driver", text)
        self.assertIn("the host computes everything", text)

    def test_skips(self):
        """What was skipped is named with the reason."""
        code, text = self.bootstrap("test")
        self.assertEqual(code, 0, text)
        self.assertEqual(text.splitlines()[-2:],
                         ["b: all: no OpenCL device", "1 passed, 0 failed, 1 skipped"])


if __name__ == "__main__":
    SOURCE = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1], verbosity=2)
