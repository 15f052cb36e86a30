"""Tries sandboxd in a machine whose control groups are version 2 alone, and says what it sees there from outside of guests.

Reads a line, "doctor" or the name of a runtime, and answers with lines "NAME: WHAT IS SEEN"; the last one is "end". What is
waited for comes, or the answer is "failed: ...".
"""

import glob
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback

GROUPS = "/sys/fs/cgroup"
WORK = "/trial/s"
RUN = "/run/sandboxd"
SNAPSHOT = "snap_" + "a" * 26
JAVA = open("/trial/java").read().splitlines()
LONGEST = float(JAVA.pop(0))


class Trial:
    """Of a runtime. With crun, sandboxd is in the root of all groups; with runc, in a group of its own, and so are guests'."""

    def __init__(self, runtime):
        crun = runtime == "crun"
        os.chmod("/usr/bin/crun", 0o755 if crun else 0o644)
        self.own = None if crun else GROUPS + "/system.slice/sallyport.service"
        self.parent = "/sallyport" if crun else "/guests.slice/sallyport"
        self.sandboxd = None

    def begin(self):
        if self.own:
            os.makedirs(self.own, exist_ok=True)
        arguments = ["--socket", "/run/s", "--dir", WORK, "--run-dir", RUN, "--cgroup", self.parent, "--driver", "oci"]
        log = open("/run/log", "w")
        self.sandboxd = subprocess.Popen(
            [*JAVA, "dev.sallyport.sandboxd.Sandboxd", *arguments], stdout=log, stderr=log, preexec_fn=self.enter
        )
        wait(lambda: "sandboxd listens" in read("/run/log"), lambda: read("/run/log"), self.sandboxd)

    def enter(self):
        if self.own:
            write(self.own + "/cgroup.procs", "0")

    def end(self, how):
        self.sandboxd.send_signal(how)
        self.sandboxd.wait()

    def group(self, number):
        return GROUPS + self.parent + "/" + name(number)

    def limits(self, number):
        files = ["memory.max", "memory.swap.max", "pids.max", "cpu.max"]
        return ", ".join(read(self.group(number) + "/" + file) for file in files)

    def where(self, command):
        """The groups of processes of this machine."""
        found = set()
        for process in glob.glob("/proc/[0-9]*"):
            try:
                if read(process + "/cmdline") == command.replace(" ", "\0") + "\0":
                    found.add(read(process + "/cgroup"))
            except (FileNotFoundError, ProcessLookupError):
                pass
        return sorted(found)

    def run(self):
        self.begin()
        say("available", "; ".join(call("availability")["lines"]))
        boot(2)
        boot(3)
        self.look_at_limits()
        self.exceed_memory()
        self.exceed_processors()
        self.copy()
        self.kill_sandboxd()
        self.exceed_processes()
        self.leave()

    def look_at_limits(self):
        say("sandboxd", read("/proc/%d/cgroup" % self.sandboxd.pid))
        say("root passes on", " ".join(sorted(read(GROUPS + "/cgroup.subtree_control").split())))
        say("limits", self.limits(2))
        say("a login sees", ssh(2, "id -u; hostname; cat /proc/self/cgroup"))
        ssh(2, "nohup sleep 9871 > /dev/null 2>&1 < /dev/null &")
        program = {"command": ["sleep", "9872"], "files": {}, "input": None, "limit_seconds": 3600}
        call("run", id=name(2), task="task", program=program)
        for what, command in {"a process of a login": "sleep 9871", "a task": "sleep 9872"}.items():
            wait(lambda: self.where(command))
            say(what, " ".join(self.where(command)).replace(self.parent, "/..."))
        try:
            write(GROUPS + "/cgroup.subtree_control", "-memory")
            say("taking the limits away", "possible")
        except OSError as e:
            say("taking the limits away", e.strerror)

    def exceed_memory(self):
        say("hog", ssh(2, "exec 2>&1; perl -e '$x = \"a\" x 500_000_000; print length $x'; echo $?"))
        say("hog killed", count(self.group(2) + "/memory.events", "oom_kill") > 0)
        say("neighbour killed", count(self.group(3) + "/memory.events", "oom_kill") > 0)
        say("after the hog", ssh(2, "echo here") + ssh(3, "echo here"))

    def exceed_processors(self):
        before = count(self.group(2) + "/cpu.stat", "nr_throttled")
        busy = "perl -e '1 while 1' > /dev/null 2>&1 < /dev/null & echo $! >> /root/busy"
        ssh(2, "%s\n%s\n%s" % (busy, busy, busy))
        wait(lambda: count(self.group(2) + "/cpu.stat", "nr_throttled") > before + 5)
        say("beside the busy one", ssh(3, "echo here"))
        ssh(2, "kill -KILL $(cat /root/busy)")

    def copy(self):
        ssh(2, "head -c 20000000 /dev/urandom > /root/big")
        seen = []
        over = threading.Event()
        watcher = threading.Thread(target=watch, args=(self.group(2) + "/cgroup.events", seen, over))
        watcher.start()
        call("capture", snapshot=SNAPSHOT, id=name(2))
        over.set()
        watcher.join()
        say("frozen meanwhile", seen)
        say("frozen afterwards", count(self.group(2) + "/cgroup.events", "frozen"))
        call("seal", snapshot=SNAPSHOT)
        boot(4, {"snapshot": SNAPSHOT})
        say("fork", ssh(4, "wc -c < /root/big; hostname"))
        say("limits of the fork", self.limits(4))
        call("destroy", id=name(4))
        say("group of the fork", os.path.exists(self.group(4)))

    def kill_sandboxd(self):
        """While a guest stands still; it goes on when there is a sandboxd again, with limits."""
        before = call("observe", id=name(2))
        self.end(signal.SIGKILL)
        write(self.group(2) + "/cgroup.freeze", "1")
        wait(lambda: count(self.group(2) + "/cgroup.events", "frozen") == 1)
        self.begin()
        say("the same run", call("observe", id=name(2)) == before)
        say("frozen after the restart", count(self.group(2) + "/cgroup.events", "frozen"))
        say("limits after the restart", self.limits(2))
        say("after the restart", ssh(2, "echo here") + ssh(3, "echo here"))

    def exceed_processes(self):
        bomb = subprocess.Popen(shell(2, "perl -e 'while (1) { fork }'"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait(lambda: count(self.group(2) + "/pids.events", "max") > 100)
        say("bomb within", int(read(self.group(2) + "/pids.current")) <= 64)
        say("beside the bomb", ssh(3, "echo here"))
        call("stop", id=name(2), grace_millis=100)
        bomb.wait()
        say("stopped", call("observe", id=name(2))["state"])
        say("group of the stopped one", os.path.exists(self.group(2)))
        call("start", id=name(2))
        await_banner(2)
        say("started again", ssh(2, "wc -c < /root/big; cat /proc/sys/kernel/hostname"))
        say("limits when started again", self.limits(2))

    def leave(self):
        for number in (2, 3):
            call("destroy", id=name(number))
        call("discard", snapshot=SNAPSHOT)
        wait(lambda: not os.listdir(WORK + "/layers"))
        left = {
            "groups": glob.glob(GROUPS + self.parent + "/*/"),
            "mounts": [line for line in read("/proc/self/mountinfo").splitlines() if WORK in line],
            "namespaces": glob.glob("/run/netns/*"),
            "cables": glob.glob("/sys/class/net/svh*"),
            "leases": [line for line in output("nft", "list", "ruleset").splitlines() if "svh2" in line or "10.77.0.2" in line],
            "loops": output("losetup", "--noheadings", "--list").split(),
            "containers": os.listdir(RUN + "/runtime") + os.listdir(RUN + "/vms"),
            "files": os.listdir(WORK + "/vms") + os.listdir(WORK + "/snapshots"),
        }
        say("left", {kind: what for kind, what in left.items() if what})
        self.end(signal.SIGTERM)
        say("left by sandboxd", [GROUPS + self.parent] * os.path.exists(GROUPS + self.parent) + output("nft", "list", "ruleset").split())
        for group in [GROUPS + os.path.dirname(self.parent)] * (self.parent.count("/") > 1) + [self.own] * bool(self.own):
            os.rmdir(group)


def say(what, seen):
    print("%s: %s" % (what, " ".join(str(seen).split())), flush=True)


def read(file):
    with open(file) as opened:
        return opened.read().strip()


def write(file, text):
    with open(file, "w") as opened:
        opened.write(text)


def count(file, key):
    return int(dict(line.split() for line in read(file).splitlines())[key])


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def wait(what, why=lambda: "", process=None):
    end = time.monotonic() + LONGEST
    while not what():
        if time.monotonic() > end or (process and process.poll() is not None):
            raise RuntimeError("it does not come " + why())
        time.sleep(0.02)


def watch(file, seen, over):
    """All that a file of events says, one after the other."""
    with open(file) as opened:
        poll = select.poll()
        poll.register(opened, select.POLLPRI)
        while True:
            opened.seek(0)
            frozen = opened.read().split()[-1]
            if not seen or seen[-1] != frozen:
                seen.append(frozen)
            if over.is_set():
                return
            poll.poll(20)


def call(operation, **arguments):
    """Asks again where the machine got no time, so that sandboxd has closed the connection: that does no harm."""
    for attempt in range(5):
        try:
            return ask(operation, arguments)
        except ConnectionError as e:
            failure = e
    raise failure


def ask(operation, arguments):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("/run/s")
        request = {"version": 1, "operation": operation, **arguments}
        connection.sendall((json.dumps(request) + "\n").encode())
        line = connection.makefile().readline()
    if not line:
        raise ConnectionResetError("no answer")
    answer = json.loads(line)
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]


def name(number):
    return "vm_" + chr(ord("a") + number) * 26


def address(number):
    return "10.77.0.%d" % number


def boot(number, origin={"image": "test"}):
    spec = {
        "address": address(number),
        "limits": {"memory_bytes": 128 << 20, "cpu_millis": 800, "processes": 64, "disk_bytes": 64 << 20},
        "guest": {"hostname": "guest%d" % number, "authorized_key": read("/trial/id.pub"), "environment": {}},
        **origin,
    }

    def made():
        try:
            call("create", id=name(number), spec=spec)
            return True
        except RuntimeError as e:
            if "preparing" not in str(e):
                raise
            return False

    wait(made)
    call("start", id=name(number))
    await_banner(number)


def await_banner(number):
    def there():
        try:
            with socket.create_connection((address(number), 22), 1) as connection:
                connection.settimeout(10)
                return connection.recv(10).startswith(b"SSH")
        except OSError:
            return False

    wait(there)


def shell(number, script):
    key = call("host_keys", id=name(number))[0]
    write("/run/known_hosts", "%s %s %s\n" % (address(number), key["type"], key["key"]))
    options = ["StrictHostKeyChecking=yes", "UserKnownHostsFile=/run/known_hosts", "LogLevel=ERROR"]
    command = ["ssh", "-i", "/trial/id", *[word for option in options for word in ("-o", option)]]
    return [*command, "root@" + address(number), script]


def ssh(number, script):
    ended = subprocess.run(
        shell(number, script), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return ended.stdout


def doctor(*before):
    return output(*before, *JAVA, "dev.sallyport.sandboxd.UnifiedGroupsTest$Doctor")


def contained(preparation):
    """What the doctor says where a group is taken for the root of all, after a script."""
    write(GROUPS + "/cgroup.subtree_control", "+cpu +memory +pids")
    enter = "mkdir -p %s/box && echo $$ > %s/box/cgroup.procs && exec \"$@\"" % (GROUPS, GROUPS)
    root = "umount %s && mount -t cgroup2 cgroup2 %s && %s && exec \"$@\"" % (GROUPS, GROUPS, preparation)
    found = doctor("sh", "-c", enter, "sh", "unshare", "--cgroup", "--mount", "sh", "-c", root, "sh")
    return [line for line in found.splitlines() if line.startswith("control groups")][0]


def main():
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "trial", "-f", "/trial/id"], check=True)
    say("ready", "")
    for line in sys.stdin:
        trial = None
        try:
            if line.strip() == "doctor":
                print(doctor(), end="")
                say("contained", contained("true"))
                init = GROUPS + "/init"
                say("contained and below", contained("mkdir %s && echo $$ > %s/cgroup.procs" % (init, init)))
            else:
                trial = Trial(line.strip())
                trial.run()
            print("end", flush=True)
        except Exception as e:
            traceback.print_exc()
            if trial and trial.sandboxd:
                trial.sandboxd.kill()
            say("failed", repr(e) + " " + (read("/run/log") if trial else ""))


main()
