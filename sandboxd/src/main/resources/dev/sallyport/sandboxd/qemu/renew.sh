# Makes a guest that goes on from what its parent had in memory one of its own, before it is connected. It runs in the guest,
# through the port, and reads what a guest is told that boots. Arguments: the time, the address of the network card, a program
# that stirs numbers into the kernel's pool, and what that reads, both as printf has them. To begin a program costs a guest
# that is translated tens of milliseconds.
set -eu
now=$1 card=$2 program=$3 numbers=$4
b=/run/sallyport/busybox
here=/run/sallyport/renewal
umask 022

# The copy was taken while nothing could be written.
$b fsfreeze --unfreeze / 2> /dev/null || :
$b ip link set eth0 address "$card" down
$b ip address flush dev eth0

[ ! -e "$here" ] || $b rm -rf "$here"
$b mkdir -m 700 "$here"
cd "$here"
$b cpio -i -d 2> /dev/null
. ./guest/setup # address, gate, hostname, memory (in KiB), processes, fork

# Every fork would draw the same numbers.
printf "$program" > stir
$b chmod 700 stir
printf "$numbers" | ./stir > /dev/urandom

date -u -s "@$now" > /dev/null 2>&1 || $b date -u -s "@${now%.*}" > /dev/null

# Sessions and tasks are the parent's, with all that they have begun and not let go of.
tasks=
for supervisor in /run/sallyport/tasks/*/supervisor; do
    [ ! -f "$supervisor" ] || { read -r task < "$supervisor" || :; tasks="$tasks $task"; }
done
set -- $($b ps -o pid,ppid,comm | $b awk -v "tasks=$tasks" '
    { parent[$1] = $2; if ($3 ~ /^sshd/) daemon[$1] = 1 }
    END {
        n = split(tasks, task, " ")
        for (i = 1; i <= n; i++) ended[task[i]] = 1
        for (p in daemon) {
            if (parent[p] in daemon) ended[p] = 1
            else if (parent[p] == 1 && (!sshd || p + 0 < sshd)) sshd = p + 0
        }
        do {
            more = 0
            for (p in parent) if (!(p in ended) && parent[p] in ended) more = ended[p] = 1
        } while (more)
        print sshd + 0
        for (p in ended) print p
    }')
sshd=$1
shift
kill -KILL "$@" 2> /dev/null || :
[ ! -e /run/sallyport/tasks ] || $b rm -rf /run/sallyport/tasks

# They are mounted where they belong, unless the parent has changed that; then it is done as init.sh does it.
folder() {
    if [ -L "/$1" ] || [ ! -d "/$1" ]; then
        $b rm -rf "/${1:?}"
        $b mkdir -m "$2" "/$1"
    fi
}
lay() {
    while $b umount -l "/$1" 2> /dev/null; do :; done
    folder etc 755
    folder etc/ssh 755
    folder etc/profile.d 755
    folder root 700
    folder root/.ssh 700
    if [ -L "/$1" ] || [ ! -f "/$1" ]; then
        $b rm -rf "/${1:?}"
        : > "/$1"
    fi
    $b mount --bind "/run/sallyport/files/$1" "/$1"
}
(cd guest/files && $b find . -type f) > files
$b cp -a guest/files/. /run/sallyport/files/
while read -r file; do
    [ "/$file" -ef "/run/sallyport/files/$file" ] || lay "$file"
done < files
$b rm -f /run/sallyport.sh # the parent's variables, if it was given others

# The kernel keeps the number of its boot.
[ ! -e /run/sallyport/boot_id ] || $b umount -l /proc/sys/kernel/random/boot_id 2> /dev/null || :
read -r boot < /proc/sys/kernel/random/uuid
echo "$boot" > /run/sallyport/boot_id
$b mount --bind /run/sallyport/boot_id /proc/sys/kernel/random/boot_id

echo "$hostname" > /proc/sys/kernel/hostname
echo "$((processes + 128))" > /proc/sys/kernel/threads-max
$b ip address add "$address/32" dev eth0
$b ip link set eth0 up
$b ip route add "$gate" dev eth0
$b ip route add default via "$gate"

# The sshd begins anew, with the new key and nothing that it remembers; it is the same process, for which the first one waits.
# It writes this file when it listens.
$b rm -f /run/sshd.pid
kill -HUP "$sshd"
i=0
until [ -s /run/sshd.pid ]; do
    [ "$i" -lt 200 ] || exit 1
    $b usleep 40000
    i=$((i + 1))
done

cd /
$b rm -rf "$here"
# The disk is larger than what is on it.
[ ! -x /sbin/resize2fs ] || $b setsid /sbin/resize2fs /dev/vda > /dev/null 2>&1 < /dev/null &
echo renewed
