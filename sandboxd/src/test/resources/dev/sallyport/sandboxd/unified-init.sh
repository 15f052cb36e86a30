#!/bin/sh
# The first process of a machine with control groups of version 2 alone. It ends children of others, and the machine when the
# trial has ended.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mountpoint -q /proc || mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sysfs /sys
mountpoint -q /dev || mount -t devtmpfs devtmpfs /dev
mountpoint -q /run || mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mount -t cgroup2 cgroup2 /sys/fs/cgroup
modprobe -a loop overlay
ip link set lo up
stty -F /dev/ttyS1 raw -echo
setsid python3 -u /trial/unified.py </dev/ttyS1 >/dev/ttyS1 2>/dev/console
echo o >/proc/sysrq-trigger
sleep 60
