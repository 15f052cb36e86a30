# Runs inside a guest before its sshd starts: adds the gate's authority to each trust store that the guest has, if it is not there
# yet. What is done here stays over starts, and tools that build stores anew find the authority among the guest's own.
# Argument: the root of the guest's files, "" for /.
set -u
umask 022
root=${1-}
ca=$root/run/sallyport-trust/ca.pem
anchor=$root/usr/local/share/ca-certificates/sallyport.crt # Debian's, Ubuntu's, Alpine's and Gentoo's update-ca-certificates

# The last whole line before the end of each certificate, which is of its signature.
marks() {
    before=
    while read -r line; do
        case $line in
            -----END*) echo "$before" ;;
            ????????????????????????????????????????????????????????????????) before=$line ;;
        esac
    done < "$ca"
}
marks=$(marks)

trusts() {
    for mark in $marks; do
        grep -qxF -e "$mark" "$1" 2> /dev/null || return 1
    done
}

# All starts but the first: to begin a program takes long where each instruction is translated.
bundle=$root/etc/ssl/certs/ca-certificates.crt
! cmp -s "$ca" "$anchor" || ! trusts "$bundle" || exit 0

# The bundles, each once: many a name is a link.
stores() {
    for store in \
        /etc/ssl/certs/ca-certificates.crt \
        /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem \
        /var/lib/ca-certificates/ca-bundle.pem \
        /etc/ssl/ca-bundle.pem \
        /etc/ssl/cert.pem; do
        [ ! -s "$root$store" ] || readlink -f "$root$store"
    done | sort -u
}

put() {
    [ ! -d "$1" ] || cp "$ca" "$1/$2"
}

write() { # FILE, with what is on standard input
    mkdir -p "${1%/*}" && cat > "$1"
}

# JDKs have stores of their own; theirs is the same tool, which takes a second.
keystores() {
    tool=$(command -v keytool) && home=$(readlink -f "$tool") || return 0
    home=${home%/bin/keytool}
    for store in "$root/etc/ssl/certs/java/cacerts" "$root${home#"$root"}/lib/security/cacerts"; do
        [ -s "$store" ] || continue
        "$tool" -delete -alias sallyport-sandbox -keystore "$store" -storepass changeit
        "$tool" -importcert -noprompt -alias sallyport-sandbox -file "$ca" -keystore "$store" -storepass changeit
    done
}

[ -n "$(stores)" ] || write "$bundle" < "$ca"
for store in $(stores); do
    trusts "$store" || {
        echo
        cat "$ca"
    } >> "$store"
    bundle=$store
done

write "$anchor" < "$ca"
put "$root/etc/pki/ca-trust/source/anchors" sallyport.pem       # Fedora, Red Hat
put "$root/etc/pki/trust/anchors" sallyport.pem                 # SUSE
put "$root/etc/ca-certificates/trust-source/anchors" sallyport.pem # Arch

# Where OpenSSL looks when nobody names a file.
for folder in "$root/usr/lib/ssl" "$root/etc/pki/tls"; do
    [ ! -d "$folder" ] || [ -e "$folder/cert.pem" ] || ln -s "${bundle#"$root"}" "$folder/cert.pem"
done

# Browsers ask neither.
texts=
while read -r line; do
    case $line in
        -----BEGIN*) text= ;;
        -----END*) texts="$texts${texts:+, }\"$text\"" ;;
        *) text=$text$line ;;
    esac
done < "$ca"
for folder in "$root/etc/chromium/policies/managed" "$root/etc/opt/chrome/policies/managed"; do
    echo "{\"CACertificates\": [$texts]}" | write "$folder/sallyport.json"
done
firefox=$root/etc/firefox/policies/policies.json
[ -e "$firefox" ] ||
    echo '{"policies": {"Certificates": {"Install": ["/run/sallyport-trust/ca.pem"]}}}' | write "$firefox"

keystores < /dev/null > /dev/null 2>&1 &
