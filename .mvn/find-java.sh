# Sourced by ./mvnw, ./sallyport and the packaged bin/sallyport. POSIX sh.
#
# require_java SCRIPT TOOL sets JAVA_HOME and JAVA_MAJOR to a Java of at least JAVA_MIN that has bin/TOOL (java: any will
# do; javac: it must be a JDK), or says what to install and ends SCRIPT. A JAVA_HOME that is good enough is kept: somebody
# chose it. Otherwise the newest one found wins.

JAVA_MIN=21

# The major version of the Java in folder $1 if it has bin/$2; else nothing.
java_major() {
    [ -x "$1/bin/java" ] && [ -x "$1/bin/$2" ] || return 0
    _version=
    if [ -r "$1/release" ]; then
        _version=$(sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9][0-9]*\).*/\1/p' "$1/release")
    fi
    if [ -z "$_version" ]; then
        _version=$("$1/bin/java" -version 2>&1 </dev/null | sed -n 's/.* version "\([0-9][0-9]*\).*/\1/p' | head -n 1)
    fi
    [ -z "$_version" ] || echo "$_version"
}

# The home of the tool $1 on the PATH, through all symbolic links.
java_on_path() {
    _tool=$(command -v "$1" 2>/dev/null) || return 0
    while [ -L "$_tool" ]; do
        _link=$(readlink "$_tool")
        case $_link in
            /*) _tool=$_link ;;
            *) _tool=$(dirname "$_tool")/$_link ;;
        esac
    done
    (cd "$(dirname "$_tool")/.." 2>/dev/null && pwd -P) || return 0
}

find_java() {
    if [ -n "${JAVA_HOME:-}" ]; then
        JAVA_MAJOR=$(java_major "$JAVA_HOME" "$1")
        if [ "${JAVA_MAJOR:-0}" -ge "$JAVA_MIN" ]; then
            export JAVA_HOME
            return 0
        fi
    fi
    _best=
    JAVA_MAJOR=0
    for _home in "$(java_on_path "$1")" \
        /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /usr/local/java/* /usr/local/*jdk* /opt/java/* /opt/*jdk* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        "${HOME:-/nonexistent}"/.jdks/* "${HOME:-/nonexistent}"/.sdkman/candidates/java/*; do
        _major=$(java_major "$_home" "$1")
        if [ "${_major:-0}" -ge "$JAVA_MIN" ] && [ "$_major" -gt "$JAVA_MAJOR" ]; then
            _best=$_home
            JAVA_MAJOR=$_major
        fi
    done
    [ -n "$_best" ] || return 1
    JAVA_HOME=$_best
    export JAVA_HOME
}

require_java() {
    find_java "$2" && return 0
    _what=Java
    [ "$2" = java ] || _what='JDK'
    cat >&2 <<EOF
$1: no $_what $JAVA_MIN or newer found (looked at JAVA_HOME, the PATH, /usr/lib/jvm and the other usual folders).
Install one, for example:
  Debian, Ubuntu   apt install openjdk-$JAVA_MIN-jdk   (or temurin-25-jdk)
  Fedora           dnf install java-latest-openjdk-devel
  macOS            brew install openjdk
or unpack any JDK and set JAVA_HOME to its folder.
EOF
    exit 1
}
