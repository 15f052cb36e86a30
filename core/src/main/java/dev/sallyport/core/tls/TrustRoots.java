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

/** The certificates that upstreams' chains must end in. Immutable. */
public final class TrustRoots {

    /** Where systems keep their roots, as OpenSSL, Go and curl look for them. */
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
     * The roots of this machine: the file that {@code SSL_CERT_FILE} names, else the operating system's bundle, else the
     * Java runtime's. A {@code javax.net.ssl.trustStore} property goes before all of them. Blocks.
     */
    public static TrustRoots system() throws TlsMaterialException {
        if (System.getProperty("javax.net.ssl.trustStore") == null) {
            String named = System.getenv("SSL_CERT_FILE");
            if (named != null && !named.isEmpty()) {
                return of(Path.of(named));
            }
            for (Path bundle : BUNDLES) {
                if (Files.isReadable(bundle)) {
                    return of(bundle);
                }
            }
        }
        return ofJava();
    }

    /** Only the certificates of a PEM file. Blocks. */
    public static TrustRoots of(Path pem) throws TlsMaterialException {
        return new TrustRoots(CertificateAuthority.certificates(Pem.read(pem), pem.toString()));
    }

    /** These and the certificates of a PEM file ({@code tls.upstream_ca}). Blocks. */
    public TrustRoots plus(Path pem) throws TlsMaterialException {
        return plus(of(pem));
    }

    /** These and those. */
    public TrustRoots plus(TrustRoots others) {
        List<X509Certificate> all = new ArrayList<>(certificates);
        all.addAll(others.certificates);
        return new TrustRoots(all);
    }

    /** How many there are. */
    public int size() {
        return certificates.size();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TrustRoots that && certificates.equals(that.certificates);
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

    X509ExtendedTrustManager trustManager() {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < certificates.size(); i++) {
                store.setCertificateEntry("root-" + i, certificates.get(i));
            }
            if (x509(store) instanceof X509ExtendedTrustManager extended) {
                return extended;
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
