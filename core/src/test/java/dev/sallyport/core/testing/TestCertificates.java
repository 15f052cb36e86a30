package dev.sallyport.core.testing;

import dev.sallyport.core.tls.CertificateAuthority;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** The certificates of a test: the proxy's authority, and an origin's own certificate for {@code localhost}. */
public final class TestCertificates {

    public final Path caCert;
    public final Path caKey;

    /** What a client of the proxy trusts: only the proxy's authority. */
    public final SSLContext client;

    /** What a client trusts that wants to speak with the origin itself. */
    public final SSLContext direct;

    /** The origin's side. */
    public final SSLContext origin;

    /** Its key, for other implementations of TLS. */
    public final KeyManagerFactory originKeys;

    /** The origin's certificate, for {@code tls.upstream_ca}. */
    public final Path originPem;

    public TestCertificates(Path folder) {
        try {
            CertificateAuthority authority = CertificateAuthority.generate("Test CA", Duration.ofDays(1));
            caCert = folder.resolve("ca.pem");
            caKey = folder.resolve("ca.key");
            authority.write(caCert, caKey);
            client = trusting(authority.certificate());
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            KeyPair keys = generator.generateKeyPair();
            X509Certificate certificate = certificate(keys);
            direct = trusting(certificate);
            origin = SSLContext.getInstance("TLS");
            originKeys = managers(keys, certificate);
            origin.init(originKeys.getKeyManagers(), null, null);
            originPem = folder.resolve("origin.pem");
            StringWriter text = new StringWriter();
            try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
                writer.writeObject(certificate);
            }
            Files.writeString(originPem, text.toString());
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new AssertionError(e);
        }
    }

    private static X509Certificate certificate(KeyPair keys)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        X500Name name = new X500Name("CN=origin");
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                name,
                BigInteger.ONE,
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(Duration.ofHours(1))),
                name,
                keys.getPublic());
        builder.addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(new GeneralName(GeneralName.dNSName, "localhost")));
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    }

    private static KeyManagerFactory managers(KeyPair keys, X509Certificate certificate)
            throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        store.setKeyEntry("origin", keys.getPrivate(), new char[0], new X509Certificate[] {certificate});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, new char[0]);
        return managers;
    }

    private static SSLContext trusting(X509Certificate authority) throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        store.setCertificateEntry("ca", authority);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }
}
