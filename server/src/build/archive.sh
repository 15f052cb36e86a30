#!/bin/sh
# archive.sh DISTRIBUTION true|false
#
# Runs the packaged server under a sample load (sallyport archive) and leaves lib/sallyport.aot (Java 25 and newer) or
# lib/sallyport.jsa beside its jars: what the JVM loaded and linked, so that the next start need not. The archive
# fits the JVM of this build; any other ignores it. That there is none is no failure.
set -u

dist=$1
rm -f "$dist"/lib/sallyport.aot* "$dist/lib/sallyport.jsa"
[ "$2" = true ] || exit 0

work=$(mktemp -d) || exit 0
trap 'rm -rf "$work"' EXIT

limit=
command -v timeout >/dev/null 2>&1 && limit='timeout 300'

(cd "$work" && $limit "$dist/bin/sallyport" archive </dev/null >log 2>&1)
status=$?

if [ "$status" -ne 0 ]; then
    rm -f "$dist"/lib/sallyport.aot* "$dist/lib/sallyport.jsa"
    echo "no archive of loaded classes: the training run ended with $status:"
    tail -n 5 "$work/log"
fi
