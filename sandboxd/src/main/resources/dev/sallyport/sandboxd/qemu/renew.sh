# Makes a guest that goes on from what its parent had in memory one of its own, before it is connected. It runs in the guest,
# through the port, and reads what a guest is told that boots. Arguments: the time, the address of the network card, a program
# that stirs numbers into the kernel's pool, and what that reads, both as printf has them.
set -eu
now=$1 card=$2 program=$3 numbers=$4
b=/run/sallyport/busybox
here=/run/sallyport/renewal
umask 022

# The copy was taken while nothing could be written.
$b fsfreeze --unfreeze / 2> /dev/null || :
$b ip link set eth0 down
$b ip address flush dev eth0

$b rm -rf "$here"
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
tasks=$($b cat /run/sallyport/tasks/*/supervisor 2> /dev/null || :)
set -- $($b ps -o pid,ppid,comm | $b awk -v "tasks=$(echo $tasks)" '
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
$b rm -rf /run/sallyport/tasks

# As init.sh does it.
(cd guest/files && $b find . -type f) > files
while read -r file; do
    while $b umount -l "/$file" 2> /dev/null; do :; done
done < files
folder() {
    if [ -L "/$1" ] || [ ! -d "/$1" ]; then
        $b rm -rf "/${1:?}"
        $b mkdir -m "$2" "/$1"
    fi
}
folder etc 755
folder etc/ssh 755
folder etc/profile.d 755
folder root 700
folder root/.ssh 700
$b rm -rf /run/sallyport/files
$b mv guest/files /run/sallyport/files
while read -r file; do
    if [ -L "/$file" ] || [ ! -f "/$file" ]; then
        $b rm -rf "/$file"
        : > "/$file"
    fi
    $b mount --bind "/run/sallyport/files/$file" "/$file"
done < files

echo "$hostname" > /proc/sys/kernel/hostname
echo "$((processes + 128))" > /proc/sys/kernel/threads-max
$b ip link set eth0 address "$card"
$b ip address add "$address/32" dev eth0
$b ip link set eth0 up
$b ip route add "$gate" dev eth0
$b ip route add default via "$gate"

# The sshd begins anew, with the new key and nothing that it remembers; it is the same process, for which the first one waits.
listener() {
    while read -r slot local remote state rest; do
        case $local-$state in
            *:0016-0A)
                set -- $rest
                echo "$6"
                ;;
        esac
    done < /proc/net/tcp
}
before=$(listener)
kill -HUP "$sshd"
i=0
while
    after=$(listener)
    [ -z "$after" ] || [ "$after" = "$before" ]
do
    [ "$i" -lt 400 ] || exit 1
    $b usleep 20000
    i=$((i + 1))
done

cd /
$b rm -rf "$here"
# The disk is larger than what is on it.
[ ! -x /sbin/resize2fs ] || $b setsid /sbin/resize2fs /dev/vda > /dev/null 2>&1 < /dev/null &
echo renewed
