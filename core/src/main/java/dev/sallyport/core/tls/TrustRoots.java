package dev.sallyport.core.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** The trust anchors for origins' certificate chains. Immutable. */
public final class TrustRoots {

    /** The usual places of system bundles, as OpenSSL, Go and curl know them. */
    private static final List<Path> BUNDLES = List.of(
            Path.of("/etc/ssl/certs/ca-certificates.crt"),
            Path.of("/etc/pki/tls/certs/ca-bundle.crt"),
            Path.of("/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"),
            Path.of("/etc/ssl/ca-bundle.pem"),
            Path.of("/etc/ssl/cert.pem"));

    private final List<X509Certificate> certificates;

    private TrustRoots(List<X509Certificate> certificates) {
        this.certificates = List.copyOf(certificates);
    }

    /**
     * The roots of this machine, from the first of: the property {@code javax.net.ssl.trustStore}, the file in
     * {@code SSL_CERT_FILE}, the operating system's bundle, the Java runtime's. Blocks.
     */
    public static TrustRoots system() throws TlsMaterialException {
        Path file = systemFile();
        return file == null ? ofJava() : of(file);
    }

    /** The file that {@link #system()} reads; null for the Java runtime's own store. */
    static @Nullable Path systemFile() {
        if (System.getProperty("javax.net.ssl.trustStore") == null) {
            String named = System.getenv("SSL_CERT_FILE");
            if (named != null && !named.isEmpty()) {
                return Path.of(named);
            }
            for (Path bundle : BUNDLES) {
                if (Files.isReadable(bundle)) {
                    return bundle;
                }
            }
        }
        return null;
    }

    /** The files in which systems keep their roots, those of this machine and others. */
    public static List<Path> bundles() {
        return BUNDLES;
    }

    /** No roots: no chain is trusted. */
    public static TrustRoots none() {
        return new TrustRoots(List.of());
    }

    /** The certificates of a PEM file. Blocks. */
    public static TrustRoots of(Path pem) throws TlsMaterialException {
        return new TrustRoots(CertificateAuthority.certificates(Pem.read(pem), pem.toString()));
    }

    /** These roots and the certificates of a PEM file ({@code tls.upstream_ca}). Blocks. */
    public TrustRoots plus(Path pem) throws TlsMaterialException {
        return plus(of(pem));
    }

    /** These roots and others. */
    public TrustRoots plus(TrustRoots others) {
        List<X509Certificate> all = new ArrayList<>(certificates);
        all.addAll(others.certificates);
        return new TrustRoots(all);
    }

    /** The certificates. */
    public List<X509Certificate> certificates() {
        return certificates;
    }

    /** The number of certificates. */
    public int size() {
        return certificates.size();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other == this || (other instanceof TrustRoots that && certificates.equals(that.certificates));
    }

    @Override
    public int hashCode() {
        return certificates.hashCode();
    }

    private static TrustRoots ofJava() {
        try {
            X509TrustManager java = x509(null);
            return new TrustRoots(Arrays.asList(java.getAcceptedIssuers()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no trust store", e);
        }
    }

    /**
     * Creates a manager that verifies chains, and host names if the handshake requires it. A chain may end at any of the
     * certificates, also at an intermediate one.
     */
    public X509ExtendedTrustManager trustManager() {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < certificates.size(); i++) {
                store.setCertificateEntry("root-" + i, certificates.get(i));
            }
            if (x509(store) instanceof X509ExtendedTrustManager extended) {
                return new ChainTrustManager(extended);
            }
            throw new IllegalStateException("this Java's trust manager cannot verify host names");
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this Java cannot verify certificates", e);
        }
    }

    private static X509TrustManager x509(@Nullable KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager x509) {
                return x509;
            }
        }
        throw new GeneralSecurityException("no X.509 trust manager");
    }
}
