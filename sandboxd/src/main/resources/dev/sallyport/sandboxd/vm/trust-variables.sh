# Tools that have roots of their own trust the gate as well: those of a login shell are told where its authority is. Programs that
# take one file get all of the system's roots, to which the authority was added before anybody could log in.
for sallyport_roots in \
    /etc/ssl/certs/ca-certificates.crt \
    /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem \
    /var/lib/ca-certificates/ca-bundle.pem \
    /etc/ssl/cert.pem \
    /run/sallyport-trust/ca.pem; do
    [ ! -s "$sallyport_roots" ] || break
done
export SSL_CERT_FILE="$sallyport_roots" # OpenSSL: Python, Ruby, .NET, HTTP::Tiny of Perl; Go
export CURL_CA_BUNDLE="$sallyport_roots"
export REQUESTS_CA_BUNDLE="$sallyport_roots"
export PIP_CERT="$sallyport_roots"
export npm_config_cafile="$sallyport_roots"
export GIT_SSL_CAINFO="$sallyport_roots"
export CARGO_HTTP_CAINFO="$sallyport_roots"
export AWS_CA_BUNDLE="$sallyport_roots"
export GRPC_DEFAULT_SSL_ROOTS_FILE_PATH="$sallyport_roots"
export CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE="$sallyport_roots" # gcloud, gsutil
export HTTPLIB2_CA_CERTS="$sallyport_roots"
export NIX_SSL_CERT_FILE="$sallyport_roots"
export HEX_CACERTS_PATH="$sallyport_roots" # Elixir, Erlang
export PERL_LWP_SSL_CA_FILE="$sallyport_roots"
export NODE_EXTRA_CA_CERTS=/run/sallyport-trust/ca.pem
export DENO_CERT=/run/sallyport-trust/ca.pem
unset sallyport_roots
