# Runs inside a guest: starts a task under a supervisor, or reports on one.
#   start NAME SECONDS INPUT PROGRAM [ARGUMENT...]    the files on standard input: "FILE SIZE", a line feed, the bytes; then "."
#   report NAME OFFSET MOST
set -u
umask 077
base=/run/sallyport/tasks
segment=131072
segments=16

# Writes what it reads at once, as a harness that works is followed while it does.
unbuffered=
! command -v stdbuf > /dev/null || unbuffered="stdbuf -o0"

# Keeps the newest segments of what comes from descriptor 3; the rest is dropped.
keep() {
    trap 'kill "$part"; exit 0' TERM
    i=0
    while :; do
        echo "$i" > "$1/last"
        $unbuffered head -c "$segment" <&3 > "$1/output.$i" &
        part=$!
        wait "$part" || exec cat <&3 > /dev/null # no room is left for it
        [ -s "$1/output.$i" ] || return 0
        rm -f "$1/output.$((i - segments + 1))"
        i=$((i + 1))
    done
}

supervise() {
    d=$1 seconds=$2 input=$3
    shift 3
    keep "$d" 3< "$d/pipe" &
    keeper=$!
    (
        [ ! -r /etc/profile.d/sallyport.sh ] || . /etc/profile.d/sallyport.sh
        exec timeout --kill-after=10 "$seconds" "$@"
    ) < "$input" > "$d/pipe" 2>&1
    code=$?
    # What it has left behind may hold the pipe for ever.
    (sleep 3 && kill "$keeper") 2> "/dev/null" &
    impatience=$!
    wait "$keeper"
    kill "$impatience" 2> "/dev/null"
    echo "$code" > "$d/code.new" && mv "$d/code.new" "$d/code"
}

start() {
    d=$base/$1 n=$base/.$1
    [ ! -d "$d" ] || return 0
    seconds=$2 input=/dev/null
    [ -z "$3" ] || input=$d/$3
    shift 3
    rm -rf "$n" && mkdir -p "$n" || return 1
    while read -r file size; do
        if [ "$file" = . ]; then
            mkfifo "$n/pipe" && mv -T "$n" "$d" || return 1
            # A function with redirections would keep the former streams open, for which the caller waits.
            (
                exec < /dev/null > /dev/null 2>&1
                supervise "$d" "$seconds" "$input" "$@"
            ) &
            echo "$!" > "$d/supervisor"
            return 0
        fi
        head -c "$size" > "$n/$file" || return 1
    done
    echo "the files do not end" >&2
    return 1
}

report() {
    d=$base/$1 offset=$2 most=$3
    if [ ! -d "$d" ]; then
        echo "absent 0"
        return 0
    fi
    if [ -f "$d/code" ]; then
        state="ended $(cat "$d/code")"
    elif [ -f "$d/supervisor" ] && kill -0 "$(cat "$d/supervisor")" 2> /dev/null; then
        state=running
    elif [ -f "$d/code" ]; then
        state="ended $(cat "$d/code")"
    else
        state="ended 137" # killed, and its supervisor with it
    fi
    i=$((offset / segment))
    last=0
    [ ! -s "$d/last" ] || last=$(cat "$d/last")
    oldest=$((last - segments + 1))
    if [ "$i" -lt "$oldest" ]; then
        i=$oldest
        offset=$((i * segment))
    fi
    echo "$state $offset"
    [ ! -f "$d/output.$i" ] || tail -c "+$((offset - i * segment + 1))" "$d/output.$i" | head -c "$most"
}

action=$1
shift
"$action" "$@"
