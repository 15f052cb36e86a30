# PID 1 of the program's namespaces: masks what leads outside, lets the program trust the proxy, and runs it without the
# capabilities that could undo any of it. POSIX sh. Arguments: a folder that the program does not see, with the file
# mounts; the capabilities that the program may have; and the program. The folder's file status gets a line for a failure
# (failed WHAT), for each socket that could not be masked (reachable PATH), and once the program is about to run (ready).
# Variables are called as no variable of the program is.

# The keyboard's signal comes to what mounts, too; the program gets it once it runs.
trap '' INT QUIT
sallyport_folder=$1
sallyport_capabilities=$2
shift 2
exec 8>>"$sallyport_folder/status"

sallyport_fail() {
    echo "failed $1: $(cat "$sallyport_folder/why" 2>/dev/null)" >&8
    exit 2
}

# One that went since the plan was made leads nowhere. It may go at any moment, so it is looked for when the mount failed; and
# it may be there again by then, so both are done once more.
sallyport_tmpfs() {
    sallyport_tried "$@" || sallyport_tried "$@"
}
sallyport_tried() {
    mount -t tmpfs -o "$2" -- sallyport "$1" || { [ ! -e "$1" ] && [ ! -L "$1" ]; }
}

sallyport_tab=$(printf '\t')
while IFS="$sallyport_tab" read -r sallyport_verb sallyport_place sallyport_what; do
    case $sallyport_verb in
        tmpfs) sallyport_tmpfs "$sallyport_place" mode=0755,nosuid,nodev ;;
        folder) mkdir -p -m "$sallyport_what" -- "$sallyport_place" ;;
        link)
            [ -e "$sallyport_place" ] || [ -L "$sallyport_place" ] ||
                ln -s -- "$sallyport_what" "$sallyport_place"
            ;;
        file)
            [ -e "$sallyport_place" ] ||
                { mkdir -p -- "${sallyport_place%/*}" && : >"$sallyport_place"; }
            ;;
        bind) mount --bind -- "$sallyport_what" "$sallyport_place" ;;
        mask)
            [ ! -S "$sallyport_place" ] || mount --bind -- /dev/null "$sallyport_place" ||
                echo "reachable $sallyport_place" >&8
            ;;
        hide)
            # What this process cannot enter the program cannot either.
            [ ! -x "$sallyport_place" ] || sallyport_tmpfs "$sallyport_place" ro,size=4k
            ;;
        free) umount -- "$sallyport_place" ;;
        remount) [ ! -e "$sallyport_place" ] || mount -o remount,bind,ro,nosuid,nodev,noexec -- "$sallyport_place" ;;
        readonly)
            mount --bind -- "$sallyport_place" "$sallyport_place" &&
                mount -o remount,bind,ro,nosuid,nodev -- "$sallyport_place"
            ;;
        *) false ;;
    esac 2>"$sallyport_folder/why" || sallyport_fail "$sallyport_verb $sallyport_place"
done <"$sallyport_folder/mounts"

# The folder that this process stands in is the one from before the masks. The shell would export where it was before.
sallyport_before=${OLDPWD-} sallyport_set=${OLDPWD+true}
cd -- "${PWD:-$(pwd)}" 2>/dev/null || {
    echo "failed the working folder is masked: ${PWD:-}" >&8
    exit 2
}
if [ -n "$sallyport_set" ]; then OLDPWD=$sallyport_before; else unset OLDPWD; fi
unset sallyport_before sallyport_set
unset sallyport_folder sallyport_tab sallyport_verb sallyport_place sallyport_what

# The keyboard's signal comes here too; the program decides what becomes of it. A trap, unlike an ignored signal, is not
# passed on. What a shell says about a signal is not the program's either.
trap : INT QUIT
echo ready >&8
exec 9>&2 2>/dev/null
setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set="-all$sallyport_capabilities" \
    -- "$@" 2>&9 8>&- 9>&-
exit $?
