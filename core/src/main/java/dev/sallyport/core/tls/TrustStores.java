package dev.sallyport.core.tls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;

/**
 * Encodes one certificate as a trust store for Java, with the conventional password {@code changeit}.
 */
public final class TrustStores {

    /** The password of Java's own trust store. It protects nothing, since the content is public. */
    public static final String PASSWORD = "changeit";

    private static final String ALIAS = "sallyport";

    private TrustStores() {}

    /**
     * Encodes as PKCS #12 (RFC 7292), with the attribute that marks a certificate as trusted. The bytes differ each
     * time.
     */
    public static byte[] pkcs12(X509Certificate certificate) {
        return store("PKCS12", certificate);
    }

    /** Encodes in Java's older format. */
    public static byte[] jks(X509Certificate certificate) {
        return store("JKS", certificate);
    }

    private static byte[] store(String type, X509Certificate certificate) {
        try {
            KeyStore store = KeyStore.getInstance(type);
            store.load(null, null);
            store.setCertificateEntry(ALIAS, certificate);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            store.store(out, PASSWORD.toCharArray());
            return out.toByteArray();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("a " + type + " store in memory cannot be written", e);
        }
    }
}
