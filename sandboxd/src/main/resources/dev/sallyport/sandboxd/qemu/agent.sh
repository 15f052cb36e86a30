# Runs scripts for the driver qemu, one after the other, which it gets from a port of the virtual machine:
#   ID SIZE SIZE     a line, then a script and what it reads, of these sizes in bytes
# and answers
#   ID CODE SIZE     a line, then what the script has written
b=/run/sallyport/busybox
d=/run/sallyport/agent
umask 077
export HOME=/root LANG=C.UTF-8 container=qemu
$b mkdir -p "$d"
[ -p "$d/never" ] || $b mkfifo "$d/never"
exec 9<> "$d/never"

for port in /sys/class/virtio-ports/*; do
    [ "$($b cat "$port/name")" != dev.sallyport ] || exec 3<> "/dev/${port##*/}" || exit 1
done

# Takes so many bytes out of the port.
take() {
    : > "$2"
    [ "$1" = 0 ] || $b dd bs="$1" count=1 iflag=fullblock <&3 > "$2" 2> /dev/null
    [ "$($b stat -c %s "$2")" = "$1" ]
}

while :; do
    if ! read -r id script input <&3; then
        read -r -t 0.2 -u 9 nothing # nobody is at the other end
        continue
    fi
    take "$script" "$d/script" && take "$input" "$d/input" || continue
    $b timeout 12 /bin/sh "$d/script" < "$d/input" > "$d/output" 2> /dev/null 3>&- 9>&-
    code=$?
    {
        echo "$id $code $($b stat -c %s "$d/output")"
        $b cat "$d/output"
    } >&3
done
