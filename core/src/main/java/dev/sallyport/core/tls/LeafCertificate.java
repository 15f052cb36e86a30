package dev.sallyport.core.tls;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;

/** A certificate that clients see, for one exact name or address. Made by {@link LeafCache}; immutable. */
public final class LeafCertificate {

    private final String host;
    private final String alias;
    private final X509Certificate[] chain;
    private final PrivateKey key;
    private final Instant end;

    LeafCertificate(String host, String serial, X509Certificate[] chain, PrivateKey key, Instant end) {
        this.host = host;
        this.alias = host + '#' + serial;
        this.chain = chain;
        this.key = key;
        this.end = end;
    }

    /** The canonical name or address text that it is for. */
    public String host() {
        return host;
    }

    /** The certificate itself. */
    public X509Certificate certificate() {
        return chain[0];
    }

    /** The end of its validity. */
    public Instant notAfter() {
        return end;
    }

    /** Unlike for any two leaves, also of the same name: TLS libraries cache what they made of a leaf under it. */
    String alias() {
        return alias;
    }

    /** Shared, not copied: key managers only read it. */
    X509Certificate[] chain() {
        return chain;
    }

    PrivateKey key() {
        return key;
    }

    @Override
    public String toString() {
        return "Leaf[" + host + "]";
    }
}
