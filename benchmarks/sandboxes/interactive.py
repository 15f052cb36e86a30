"""Asks a control plane for VMs, and prints how long it takes from the call that makes one to the end of the first command in it,
as ComputeSDK measures hosted sandboxes: one after the other, 200 ms apart, and all at once. Arguments: a key for SSH, and how many.
"""

import json
import statistics
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

KEY = sys.argv[1]
ROUNDS = int(sys.argv[2])
TOGETHER = min(ROUNDS, 20)
URL = "http://127.0.0.1:8090"


def api(method, path, body=None, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
    except urllib.error.HTTPError as e:
        raise RuntimeError("%s %s: %d %s" % (method, path, e.code, e.read().decode())) from e
    return json.loads(text) if text else None


account = api(
    "POST",
    "/v1/users",
    {"first_name": "A", "last_name": "B", "email": "a@example.com", "password": "correct horse"},
)
TOKEN = account["api_key"]["token"]
PUBLIC = open(KEY + ".pub").read().strip()
numbers = iter(range(10**6))


def command(vm):
    """Runs one by a stock client; its host key is asked for when the time is over."""
    ssh = api("GET", "/v1/vms/%s/ssh" % vm, token=TOKEN)
    subprocess.run(
        ["ssh", "-i", KEY, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
        + ["-o", "LogLevel=ERROR", "-p", str(ssh["port"]), ssh["username"] + "@" + ssh["host"], "true"],
        check=True,
        stdin=subprocess.DEVNULL,
    )


def life(pause=0.005):
    """Milliseconds until it is ready, which is asked again after a pause, and until the first command has ended; or the error."""
    begin = time.monotonic()
    vm = None
    try:
        vm = api("POST", "/v1/vms", {"name": "vm%d" % next(numbers), "public_key": PUBLIC}, TOKEN)["id"]
        while True:
            seen = api("GET", "/v1/vms/" + vm, token=TOKEN)
            if seen["status_detail"] == "ready":
                break
            if seen["status"] == "failed":
                return vm, None, "failed"
            time.sleep(pause)
        ready = time.monotonic()
        command(vm)
        return vm, (1000 * (ready - begin), 1000 * (time.monotonic() - begin)), None
    except Exception as e:  # each is told, and none ends the others
        return vm, None, repr(e)


def destroy(vm):
    api("DELETE", "/v1/vms/%s?force=true" % vm, token=TOKEN)
    while api("GET", "/v1/vms/" + vm, token=TOKEN)["status_detail"] != "destroyed":
        time.sleep(0.01)


def tell(what, lives):
    times = [life[1] for life in lives if life[1]]
    for name, values in (("ready", [t[0] for t in times]), ("first command", [t[1] for t in times])):
        values = sorted(values)
        at = lambda part: values[min(len(values) - 1, int(part * len(values)))]
        print(
            "%-22s %-14s p50 %5.0f  p95 %5.0f  p99 %5.0f  longest %5.0f ms, %d of %d"
            % (what, name, statistics.median(values), at(0.95), at(0.99), values[-1], len(values), len(lives)),
            flush=True,
        )
    for life in lives:
        if life[2]:
            print("  " + life[2])


def together(pause):
    lives = []
    threads = []
    for _ in range(TOGETHER):
        threads.append(threading.Thread(target=lambda: lives.append(life(0.05))))
        threads[-1].start()
        time.sleep(pause)
    for thread in threads:
        thread.join()
    for vm, _, _ in lives:
        if vm:
            destroy(vm)
    return lives


warm, _, problem = life()
for _ in range(20):  # the control plane looks for sandboxd from time to time
    if problem and "sandboxes_unavailable" in problem:
        time.sleep(0.5)
        warm, _, problem = life()
if problem:
    sys.exit(problem)
destroy(warm)
alone = []
for _ in range(ROUNDS):
    alone.append(life())
    destroy(alone[-1][0])
tell("one after the other", alone)
tell("200 ms apart", together(0.2))
tell("all at once", together(0))
