# The first process of a guest of the driver qemu: runs its sshd, does what the driver asks for, and collects what others
# leave behind. When the sshd ends, or somebody asks for it, all of the guest ends.
b=/run/sallyport/busybox
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin container=qemu

end() {
    trap '' TERM INT
    kill -TERM -1
    i=0
    while [ "$i" -lt 40 ] && others; do
        $b usleep 50000
        i=$((i + 1))
    done
    kill -KILL -1
    $b sync
    $b mount -o remount,ro / 2> /dev/null
    $b poweroff -f
}

# Whether anything else runs. Threads of the kernel have no file of their program.
others() {
    for process in /proc/[0-9]*; do
        [ "$process" = /proc/1 ] || [ ! -e "$process/exe" ] || return 0
    done
    return 1
}

trap end TERM INT
(
    unset container
    while :; do
        $b sh /run/sallyport/agent.sh
        $b sleep 1
    done
) &
[ ! -r /run/sallyport-trust/setup.sh ] || /bin/sh /run/sallyport-trust/setup.sh
# One of OpenSSH 9.8 or later shuts out an address from which attempts have failed, and all clients have the gate's; an earlier
# one does not know the option.
sshd="/usr/sbin/sshd -f /etc/ssh/sallyport_sshd_config"
fair="-o PerSourcePenalties=no"
$sshd -D -e $(grep -q persourcepenalties /usr/sbin/sshd && echo "$fair") &
wait $!
end
