# Sourced by ./mvnw and ./sallyport. POSIX sh.
#
# find_jdk sets JAVA_HOME and JAVA_MAJOR to a JDK of at least JDK_MIN, or returns 1.
# A JAVA_HOME that is good enough is kept: it was chosen. Otherwise the newest one found wins.

JDK_MIN=21

# The major version of the JDK in folder $1; nothing if there is none.
jdk_major() {
    [ -x "$1/bin/javac" ] && [ -x "$1/bin/java" ] || return 0
    _version=
    if [ -r "$1/release" ]; then
        _version=$(sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9][0-9]*\).*/\1/p' "$1/release")
    fi
    if [ -z "$_version" ]; then
        _version=$("$1/bin/java" -version 2>&1 </dev/null | sed -n 's/.* version "\([0-9][0-9]*\).*/\1/p' | head -n 1)
    fi
    [ -z "$_version" ] || echo "$_version"
}

# The JDK of the javac on the PATH, through all symbolic links.
jdk_on_path() {
    _javac=$(command -v javac 2>/dev/null) || return 0
    while [ -L "$_javac" ]; do
        _link=$(readlink "$_javac")
        case $_link in
            /*) _javac=$_link ;;
            *) _javac=$(dirname "$_javac")/$_link ;;
        esac
    done
    (cd "$(dirname "$_javac")/.." 2>/dev/null && pwd -P) || return 0
}

find_jdk() {
    if [ -n "${JAVA_HOME:-}" ]; then
        JAVA_MAJOR=$(jdk_major "$JAVA_HOME")
        if [ "${JAVA_MAJOR:-0}" -ge "$JDK_MIN" ]; then
            export JAVA_HOME
            return 0
        fi
    fi
    _best=
    JAVA_MAJOR=0
    _path=$(jdk_on_path)
    for _home in "$_path" /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /usr/local/java/* /usr/local/*jdk* /opt/java/* /opt/*jdk* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        "${HOME:-/nonexistent}"/.jdks/* "${HOME:-/nonexistent}"/.sdkman/candidates/java/*; do
        _major=$(jdk_major "$_home")
        if [ "${_major:-0}" -ge "$JDK_MIN" ] && [ "$_major" -gt "$JAVA_MAJOR" ]; then
            _best=$_home
            JAVA_MAJOR=$_major
        fi
    done
    [ -n "$_best" ] || return 1
    JAVA_HOME=$_best
    export JAVA_HOME
}

# Ends the script $1 when there is no JDK.
require_jdk() {
    find_jdk && return 0
    cat >&2 <<EOF
$1: no JDK $JDK_MIN or newer found (looked at JAVA_HOME, the PATH, /usr/lib/jvm and the other usual folders).
Install one, for example:
  Debian, Ubuntu   apt install openjdk-$JDK_MIN-jdk   (or temurin-25-jdk)
  Fedora           dnf install java-latest-openjdk-devel
  macOS            brew install openjdk
or unpack any JDK $JDK_MIN+ and set JAVA_HOME to its folder.
EOF
    exit 1
}
