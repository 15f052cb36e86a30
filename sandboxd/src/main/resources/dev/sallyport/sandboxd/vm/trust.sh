# Runs inside a guest before its sshd starts: adds the gate's authority to each trust store that the guest has, if it is not there
# yet. What is done here stays over starts, and tools that build stores anew find the authority among the guest's own.
# Argument: the root of the guest's files, "" for /.
set -u
umask 022
root=${1-}
ca=$root/run/sallyport-trust/ca.pem
anchor=$root/usr/local/share/ca-certificates/sallyport.crt # Debian's, Ubuntu's, Alpine's and Gentoo's update-ca-certificates

# To begin a program takes longer than all that the shell does by itself, and long where each instruction is translated.
#
# Of each certificate the last whole line before its end, which is of its signature; and all of it as one word, in quotes.
marks=
mark=
texts=
text=
while read -r line; do
    case $line in
        -----BEGIN*) text= ;;
        -----END*)
            marks="$marks $mark"
            texts="$texts${texts:+, }\"$text\""
            ;;
        *)
            text=$text$line
            [ ${#line} -lt 64 ] || mark=$line
            ;;
    esac
done < "$ca"

trusts() {
    for mark in $marks; do
        grep -qxF -e "$mark" "$1" 2> /dev/null || return 1
    done
}

# All starts but the first.
bundle=$root/etc/ssl/certs/ca-certificates.crt
[ ! -e "$anchor" ] || ! cmp -s "$ca" "$anchor" || ! trusts "$bundle" || exit 0

chromium=$root/etc/chromium/policies/managed
chrome=$root/etc/opt/chrome/policies/managed
firefox=$root/etc/firefox/policies
mkdir -p "${anchor%/*}" "$chromium" "$chrome" "$firefox"

show() {
    while read -r line; do
        echo "$line"
    done < "$ca"
}

put() {
    [ ! -d "$1" ] || show > "$1/$2"
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

# The bundles, each once: many a name is a link.
stores=
for store in \
    /etc/ssl/certs/ca-certificates.crt \
    /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem \
    /var/lib/ca-certificates/ca-bundle.pem \
    /etc/ssl/ca-bundle.pem \
    /etc/ssl/cert.pem; do
    [ -s "$root$store" ] || continue
    for known in $stores; do
        [ ! "$root$store" -ef "$root$known" ] || continue 2
    done
    stores="$stores $store"
done
[ -n "$stores" ] || { mkdir -p "${bundle%/*}" && show > "$bundle"; }
for store in $stores; do
    bundle=$root$store
    trusts "$bundle" || {
        echo
        show
    } >> "$bundle"
done

show > "$anchor"
put "$root/etc/pki/ca-trust/source/anchors" sallyport.pem       # Fedora, Red Hat
put "$root/etc/pki/trust/anchors" sallyport.pem                 # SUSE
put "$root/etc/ca-certificates/trust-source/anchors" sallyport.pem # Arch

# Where OpenSSL looks when nobody names a file.
for folder in "$root/usr/lib/ssl" "$root/etc/pki/tls"; do
    [ ! -d "$folder" ] || [ -e "$folder/cert.pem" ] || ln -s "${bundle#"$root"}" "$folder/cert.pem"
done

# Browsers ask neither.
for folder in "$chromium" "$chrome"; do
    echo "{\"CACertificates\": [$texts]}" > "$folder/sallyport.json"
done
[ -e "$firefox/policies.json" ] ||
    echo '{"policies": {"Certificates": {"Install": ["/run/sallyport-trust/ca.pem"]}}}' > "$firefox/policies.json"

if command -v keytool > /dev/null; then
    keystores < /dev/null > /dev/null 2>&1 &
fi
