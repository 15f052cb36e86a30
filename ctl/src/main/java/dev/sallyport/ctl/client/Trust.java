package dev.sallyport.ctl.client;

import dev.sallyport.ctl.problem.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS with authorities of one's own. */
final class Trust {

    private Trust() {}

    /** Trusts the certificates of a PEM file, and no others. */
    static SSLContext in(Path file) throws Problem {
        Collection<? extends Certificate> certificates = read(file);
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate certificate : certificates) {
                store.setCertificateEntry("ca" + number++, certificate);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }

    private static Collection<? extends Certificate> read(Path file) throws Problem {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (!certificates.isEmpty()) {
                return certificates;
            }
        } catch (IOException e) {
            throw Problem.usage(file + ": cannot be read (expected: a PEM file of certificates)");
        } catch (CertificateException e) {
            throw Problem.usage(file + ": not certificates (expected: a PEM file of certificates)");
        }
        throw Problem.usage(file + ": no certificate in it (expected: a PEM file of certificates)");
    }
}
