"""Asks a sandboxd at /run/s for VMs, and prints how long they take. Arguments: a key for SSH, how many rounds, the driver, and the log of
sandboxd."""

import atexit
import glob
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

KEY = sys.argv[1]
ROUNDS = int(sys.argv[2])
# What sandboxd prints.
LOG = sys.argv[4]
# How many are made at the same time, and how many are idle at the end: a virtual machine that is translated takes a processor.
AT_ONCE, IDLE = (4, 0) if sys.argv[3] == "qemu" else (20, 100)
SNAPSHOT = "snap_" + "a" * 26
# MiB that the source of a snapshot has written.
SIZES = (1, 10, 100, 400)
# The VMs that are there.
made = set()


def call(operation, **arguments):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("/run/s")
        request = {"version": 1, "operation": operation, **arguments}
        connection.sendall((json.dumps(request) + "\n").encode())
        answer = json.loads(connection.makefile().readline())
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]


def name(number):
    return "vm_%026d" % number


def address(number):
    return "10.77.0.%d" % number


def outcome(work, number, *more):
    """Milliseconds, or the error: nobody waits for others."""
    try:
        return work(number, *more)[0]
    except (RuntimeError, OSError) as e:
        return str(e)


def burst(what, origin):
    """So many at the same moment, each with a time or an error."""
    numbers = range(20, 20 + AT_ONCE)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        outcomes = list(threads.map(lambda number: outcome(boot, number, origin), numbers))
    came = [one for one in outcomes if isinstance(one, float)]
    if came:
        tell("%s, %d at a time" % (what, AT_ONCE), came)
    for one in outcomes:
        if isinstance(one, str):
            print("  failed: " + one)
    for number in numbers:
        destroy(number)


def available():
    for line in open("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) / 1024


def processes():
    return sum(entry.isdigit() for entry in os.listdir("/proc"))


def density():
    """What guests cost the machine that do nothing."""
    before, count = available(), processes()
    numbers = range(50, 50 + IDLE)
    begin = time.monotonic()
    for number in numbers:
        boot(number)
    took = time.monotonic() - begin
    time.sleep(5)
    print(
        "%d idle guests  %.1f MiB of memory and %.1f processes of the machine for each, made in %.0f s; their own (Pss) %.1f MiB"
        % (
            IDLE,
            (before - available()) / IDLE,
            (processes() - count) / IDLE,
            took,
            sum(memory(number) for number in numbers) / IDLE,
        ),
        flush=True,
    )
    tell("  one more", [boot(200 + i)[0] for i in range(5)])
    for number in [*numbers, *range(200, 205)]:
        destroy(number)


def spec(number, origin):
    return {
        "address": address(number),
        "limits": {"memory_bytes": 256 << 20, "cpu_millis": 1000, "processes": 256, "disk_bytes": 1 << 30},
        "guest": {
            "hostname": "guest%d" % number,
            "authorized_key": open(KEY + ".pub").read().strip(),
            "environment": {},
        },
        **origin,
    }


def await_banner(number):
    while True:
        try:
            with socket.create_connection((address(number), 22), 0.3) as connection:
                connection.settimeout(5)
                if connection.recv(10).startswith(b"SSH"):
                    return
        except OSError:
            time.sleep(0.005)


def create(number, origin):
    made.add(number)
    while True:
        try:
            return call("create", id=name(number), spec=spec(number, origin))
        except RuntimeError as e:
            if "preparing" not in str(e):
                raise
            time.sleep(0.02)


def boot(number, origin={"image": "test"}):
    """Returns milliseconds: all of it, making its files, starting it."""
    begin = time.monotonic()
    create(number, origin)
    made = time.monotonic()
    call("start", id=name(number))
    started = time.monotonic()
    await_banner(number)
    return [1000 * t for t in (time.monotonic() - begin, made - begin, started - made)]


def timed(work):
    begin = time.monotonic()
    result = work()
    return 1000 * (time.monotonic() - begin), result


def destroy(number):
    took = timed(lambda: call("destroy", id=name(number)))[0]
    made.discard(number)
    return took


def destroy_all():
    """What a measurement that failed has left: guests outlive sandboxd."""
    for number in list(made):
        destroy(number)


def tell(what, values):
    values = sorted(values)
    p95 = values[min(len(values) - 1, int(0.95 * len(values)))]
    print(
        "%-28s p50 %5.0f  p95 %5.0f  longest %5.0f ms of %d"
        % (what, statistics.median(values), p95, values[-1], len(values)),
        flush=True,
    )


def memory(number):
    """What the processes of a VM hold, shared pages by their part, in MiB."""
    pids = set()
    for file in glob.glob("/sys/fs/cgroup/**/%s/cgroup.procs" % name(number), recursive=True):
        pids.update(open(file).read().split())
    total = 0
    for pid in pids:
        try:
            lines = open("/proc/%s/smaps_rollup" % pid).readlines()
        except FileNotFoundError:  # it has ended
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def write(number, before, size):
    """Fills the disk of a guest from so many MiB to so many, in a file of its own."""
    command = "dd if=/dev/urandom of=/root/%d bs=1M count=%d 2>/dev/null" % (size, size - before)
    subprocess.run(
        ["ssh", "-i", KEY, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
        + ["-o", "LogLevel=ERROR", "root@" + address(number), command],
        check=True,
    )


def series(size):
    """A snapshot of what is written, and its forks, one after the other and at the same moment."""
    took = timed(lambda: call("capture", id=name(4), snapshot=SNAPSHOT))[0]
    print("capture, %d MiB written  %.0f ms; the source %s" % (size, took, stood_still()))
    took, layer = timed(lambda: call("seal", snapshot=SNAPSHOT))
    print("  seal  %.0f ms, %s" % (took, json.dumps(layer)))
    forks = []
    for _ in range(max(3, ROUNDS // 2)):
        forks.append(boot(5, {"snapshot": SNAPSHOT}))
        destroy(5)
    tell("  fork to SSH", [fork[0] for fork in forks])
    tell("    of which files", [fork[1] for fork in forks])
    tell("    of which start", [fork[2] for fork in forks])
    burst("  fork to SSH", {"snapshot": SNAPSHOT})
    call("discard", snapshot=SNAPSHOT)


def stood_still():
    """What sandboxd says of the last capture."""
    lines = [line for line in open(LOG) if "stood still" in line]
    return lines[-1][lines[-1].index("stood still") :].strip()


def load():
    return open("/proc/loadavg").read().split()[0]


atexit.register(destroy_all)
print(json.dumps(call("availability")), "load", load())
print("the first, with the image's disk  %.0f ms" % boot(2)[0])
destroy(2)
lives, ends = [], []
for _ in range(ROUNDS):
    lives.append(boot(3))
    ends.append(destroy(3))
tell("create to SSH", [life[0] for life in lives])
tell("  of which files", [life[1] for life in lives])
tell("  of which start", [life[2] for life in lives])
tell("destroy", ends)

boot(4)
written = 0
for size in SIZES:
    write(4, written, size)
    written = size
    series(size)
time.sleep(5)
print("an idle guest  %.0f MiB" % memory(4))
burst("create to SSH", {"image": "test"})
destroy(4)
if IDLE:
    density()
print("load", load())
