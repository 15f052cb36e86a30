#!/bin/busybox sh
# The first program of a guest of the driver qemu, in its initramfs: finds the disk, lays over it what the guest is told,
# connects it, and goes on as guest.sh, out of memory. What it is told is in /guest: "setup", and the files in "files".
b=/bin/busybox
$b mount -t devtmpfs devtmpfs /dev
$b mount -t proc -o nosuid,nodev,noexec proc /proc
$b mount -t sysfs -o nosuid,nodev,noexec sysfs /sys
while read -r module; do
    $b insmod "/modules/$module" || echo "sallyport: $module cannot be loaded"
done < /modules/order
. /guest/setup # address, gate, hostname, memory (in KiB), processes, fork

i=0
while [ ! -b /dev/vda ] && [ "$i" -lt 500 ]; do
    $b usleep 10000
    i=$((i + 1))
done
# Nothing is written into the tables of inodes in the background: they are zeros, and each guest would have a copy of them.
$b mount -t ext4 -o discard,noinit_itable /dev/vda /root || $b poweroff -f

# The guest's own files may be anything, links that lead elsewhere included: a folder is made in the place of one.
folder() {
    if [ -L "/root/$1" ] || [ ! -d "/root/$1" ]; then
        $b rm -rf "/root/$1"
        $b mkdir -m "$2" "/root/$1"
    fi
}
for name in dev proc sys run tmp etc; do
    folder "$name" 755
done
folder etc/ssh 755
folder etc/profile.d 755
folder root 700
folder root/.ssh 700

$b mount --move /dev /root/dev
$b mount --move /proc /root/proc
$b mount --move /sys /root/sys
$b mkdir -p /root/dev/pts /root/dev/shm /root/dev/mqueue
$b mount -t devpts -o nosuid,noexec,ptmxmode=0666,mode=0620,gid=5 devpts /root/dev/pts
$b ln -sf pts/ptmx /root/dev/ptmx
$b ln -sfn /proc/self/fd /root/dev/fd
$b ln -sf fd/0 /root/dev/stdin
$b ln -sf fd/1 /root/dev/stdout
$b ln -sf fd/2 /root/dev/stderr
$b mount -t tmpfs -o "nosuid,nodev,noexec,mode=1777,size=$((memory / 4))k" tmpfs /root/dev/shm
$b mount -t mqueue -o nosuid,nodev,noexec mqueue /root/dev/mqueue
$b mount -t tmpfs -o "nosuid,nodev,mode=755,size=$((memory / 16))k" tmpfs /root/run
$b mount -t tmpfs -o "nosuid,nodev,mode=1777,size=$((memory / 2))k" tmpfs /root/tmp
[ ! -d /root/sys/fs/cgroup ] || $b mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 /root/sys/fs/cgroup
$b mkdir -m 755 /root/run/sshd
$b mkdir -m 700 /root/run/sallyport

# A disk that was made from a snapshot is larger than what is on it, if the guest's own tools can make use of that.
[ "$fork" = no ] || $b chroot /root /sbin/resize2fs /dev/vda > /root/dev/null 2>&1

# Identity and keys are in memory alone, so that no snapshot of the disk has them.
$b cp -a /guest/files /root/run/sallyport/files
$b cp /bin/busybox /guest.sh /agent.sh /root/run/sallyport/
[ ! -d /guest/trust ] || $b cp -a /guest/trust /root/run/sallyport-trust
(cd /guest/files && $b find . -type f) | while read -r file; do
    if [ -L "/root/$file" ] || [ ! -f "/root/$file" ]; then
        $b rm -rf "/root/$file"
        : > "/root/$file"
    fi
    $b mount --bind "/root/run/sallyport/files/$file" "/root/$file"
done

echo "$hostname" > /root/proc/sys/kernel/hostname
# Threads of the kernel count as well.
echo "$((processes + 128))" > /root/proc/sys/kernel/threads-max
$b ip link set lo up
$b ip address add "$address/32" dev eth0
$b ip link set eth0 up
$b ip route add "$gate" dev eth0
$b ip route add default via "$gate"
exec $b switch_root /root /run/sallyport/busybox sh /run/sallyport/guest.sh
