
# 2. The way: everything but this machine itself goes through the proxy.
export SALLYPORT_PROXY="${SALLYPORT_PROXY:-http://@PROXY@}"
export http_proxy="$SALLYPORT_PROXY" HTTP_PROXY="$SALLYPORT_PROXY"
export https_proxy="$SALLYPORT_PROXY" HTTPS_PROXY="$SALLYPORT_PROXY"
export all_proxy="$SALLYPORT_PROXY" ALL_PROXY="$SALLYPORT_PROXY"
export no_proxy="${no_proxy:-localhost,127.0.0.1,::1}"
export NO_PROXY="$no_proxy"
export NODE_USE_ENV_PROXY=1
sallyport_at="${SALLYPORT_PROXY#*://}"
sallyport_at="${sallyport_at##*@}"
sallyport_at="${sallyport_at%%/*}"
sallyport_host="${sallyport_at%:*}"
sallyport_host="${sallyport_host#[}"
sallyport_host="${sallyport_host%]}"
sallyport_port="${sallyport_at##*:}"
case "${JAVA_TOOL_OPTIONS:-}" in
  *"-Dhttps.proxyHost="*) ;;
  *)
    JAVA_TOOL_OPTIONS="${JAVA_TOOL_OPTIONS:+$JAVA_TOOL_OPTIONS }-Dhttp.proxyHost=$sallyport_host -Dhttp.proxyPort=$sallyport_port -Dhttps.proxyHost=$sallyport_host -Dhttps.proxyPort=$sallyport_port -Daether.connector.http.useSystemProperties=true"
    # shellcheck disable=SC2090
    export JAVA_TOOL_OPTIONS
    ;;
esac
case "$SALLYPORT_PROXY|${JAVA_TOOL_OPTIONS:-}" in
  *"-Djdk.http.auth.tunneling.disabledSchemes="*) ;;
  *@*"|"*)
    # Java shows a user to no CONNECT otherwise. The password is not here: every start of Java prints this variable.
    JAVA_TOOL_OPTIONS="$JAVA_TOOL_OPTIONS -Djdk.http.auth.tunneling.disabledSchemes="
    # shellcheck disable=SC2090
    export JAVA_TOOL_OPTIONS
    ;;
esac
unset sallyport_at sallyport_host sallyport_port
