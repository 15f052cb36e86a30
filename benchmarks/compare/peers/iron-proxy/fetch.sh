#!/bin/sh
# Builds iron-proxy into the folder $2: from its module, or from the clone that IRON_PROXY_SOURCE names.
set -eu
commit=e05a0a8508c8feb74496ffedff8060ff6f6bc4f7
command -v go >/dev/null || { echo "iron-proxy takes Go, which is not here" >&2; exit 1; }
if [ -n "${IRON_PROXY_SOURCE:-}" ]; then
    git -C "$IRON_PROXY_SOURCE" diff --quiet "$commit" || { echo "$IRON_PROXY_SOURCE is not at $commit" >&2; exit 1; }
    cd "$IRON_PROXY_SOURCE" && go build -o "$2/iron-proxy" ./cmd/iron-proxy
else
    GOBIN=$2 go install "github.com/ironsh/iron-proxy/cmd/iron-proxy@$commit"
fi
