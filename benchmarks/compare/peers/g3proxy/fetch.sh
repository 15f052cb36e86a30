#!/bin/sh
# Builds g3proxy and its certificate generator into the folder $2, from the clone that G3_SOURCE names.
set -eu
[ -n "${G3_SOURCE:-}" ] || { echo "g3proxy is in no registry: set G3_SOURCE to a clone of bytedance/g3" >&2; exit 1; }
command -v cargo >/dev/null || { echo "g3proxy takes cargo, which is not here" >&2; exit 1; }
command -v capnp >/dev/null || { echo "g3proxy takes capnp (Debian package capnproto)" >&2; exit 1; }
cd "$G3_SOURCE"
CARGO_TARGET_DIR=$2/build cargo build -q --release -p g3proxy -p g3fcgen --no-default-features \
    --features g3proxy/quic,g3proxy/rustls-ring
cp "$2/build/release/g3proxy" "$2/build/release/g3fcgen" "$2/"
