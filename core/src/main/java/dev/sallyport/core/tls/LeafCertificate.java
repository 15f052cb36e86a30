package dev.sallyport.core.tls;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;

/** A certificate shown to clients, for one exact name or address. Created by {@link LeafCache}. Immutable. */
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

    /** The canonical name or address text of the certificate. */
    public String host() {
        return host;
    }

    /** The certificate. */
    public X509Certificate certificate() {
        return chain[0];
    }

    /** The end of the validity period. */
    public Instant notAfter() {
        return end;
    }

    /** Unique to each leaf, even among those of one name: TLS libraries use it as a cache key. */
    String alias() {
        return alias;
    }

    /** The chain, shared and not copied: key managers only read it. */
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
