
# 1. Trust. Files go to SALLYPORT_CA_DIR, by default ~/.sallyport:
#      ca.pem      the certificate authority of the proxy
#      bundle.pem  the system's roots and ca.pem, for tools that know one file only
#      java.jks    Java's roots and ca.pem, where there is a keytool
SALLYPORT_CA_DIR="${SALLYPORT_CA_DIR:-${HOME:-}/.sallyport}"
for sallyport_file in \
  "${SALLYPORT_ROOTS:-}" \
  "${SSL_CERT_FILE:-}" \
  /etc/ssl/certs/ca-certificates.crt \
  /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem \
  /etc/pki/tls/certs/ca-bundle.crt \
  /etc/ssl/ca-bundle.pem \
  /etc/ssl/cert.pem; do
  if [ -s "$sallyport_file" ] && [ "$sallyport_file" != "$SALLYPORT_CA_DIR/bundle.pem" ]; then
    export SALLYPORT_ROOTS="$sallyport_file"
    break
  fi
done
unset sallyport_file

if (
  pem='@CA@'
  umask 022
  mkdir -p "$SALLYPORT_CA_DIR" && cd "$SALLYPORT_CA_DIR" || exit 1
  if [ "$(cat ca.pem 2>/dev/null)" != "$pem" ]; then
    rm -f java.jks
    printf '%s\n' "$pem" >"ca.pem.$$" && mv -f "ca.pem.$$" ca.pem || exit 1
  fi
  {
    if [ -n "${SALLYPORT_ROOTS:-}" ]; then cat "$SALLYPORT_ROOTS" && echo || exit 1; fi
    cat ca.pem
  } >"bundle.pem.$$" && mv -f "bundle.pem.$$" bundle.pem || exit 1

  # Java knows one file only, too.
  if [ ! -s java.jks ]; then
    home="${JAVA_HOME:-}"
    if [ -z "$home" ] && command -v java >/dev/null; then
      home="$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')"
    fi
    for roots in "$home/lib/security/cacerts" "$home/jre/lib/security/cacerts"; do
      if [ -n "$home" ] && [ -s "$roots" ]; then
        if cp "$roots" "java.jks.$$" && chmod u+w "java.jks.$$" &&
          "$home/bin/keytool" -importcert -noprompt -alias sallyport -file ca.pem \
            -keystore "java.jks.$$" -storepass changeit >/dev/null 2>&1; then
          mv -f "java.jks.$$" java.jks
        else
          rm -f "java.jks.$$"
          echo "sallyport: keytool failed; Java is not set up" >&2
        fi
        break
      fi
    done
  fi
  exit 0
); then
  export SALLYPORT_CA_DIR
  export NODE_EXTRA_CA_CERTS="$SALLYPORT_CA_DIR/ca.pem"
  export DENO_CERT="$SALLYPORT_CA_DIR/ca.pem"
  export SSL_CERT_FILE="$SALLYPORT_CA_DIR/bundle.pem" # OpenSSL: Python, Ruby, .NET, HTTP::Tiny of Perl; Go
  export CURL_CA_BUNDLE="$SSL_CERT_FILE"
  export REQUESTS_CA_BUNDLE="$SSL_CERT_FILE"
  export PIP_CERT="$SSL_CERT_FILE"
  export npm_config_cafile="$SSL_CERT_FILE" # npm ignores NODE_EXTRA_CA_CERTS behind a proxy and beside a cafile of .npmrc
  export GIT_SSL_CAINFO="$SSL_CERT_FILE"
  export CARGO_HTTP_CAINFO="$SSL_CERT_FILE"
  export AWS_CA_BUNDLE="$SSL_CERT_FILE"
  export GRPC_DEFAULT_SSL_ROOTS_FILE_PATH="$SSL_CERT_FILE"
  export CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE="$SSL_CERT_FILE" # gcloud, gsutil
  export HTTPLIB2_CA_CERTS="$SSL_CERT_FILE"
  export NIX_SSL_CERT_FILE="$SSL_CERT_FILE"
  export HEX_CACERTS_PATH="$SSL_CERT_FILE" # Elixir, Erlang
  export PERL_LWP_SSL_CA_FILE="$SSL_CERT_FILE"
  if [ -s "$SALLYPORT_CA_DIR/java.jks" ]; then
    case "${JAVA_TOOL_OPTIONS:-}" in
      *"$SALLYPORT_CA_DIR/java.jks"*) ;;
      *)
        # The quotes are for the JVM, which splits this itself.
        # shellcheck disable=SC2089
        JAVA_TOOL_OPTIONS="${JAVA_TOOL_OPTIONS:+$JAVA_TOOL_OPTIONS }'-Djavax.net.ssl.trustStore=$SALLYPORT_CA_DIR/java.jks' -Djavax.net.ssl.trustStorePassword=changeit"
        # shellcheck disable=SC2090
        export JAVA_TOOL_OPTIONS
        ;;
    esac
  fi
else
  echo "sallyport: the files of SALLYPORT_CA_DIR could not be written; the authority is not trusted" >&2
fi
