package dev.sallyport.testsupport;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** The certificates of a test: the proxy's authority, and an origin's own certificate. */
public final class TestCertificates {

    public final Path caCert;
    public final Path caKey;

    /** The trust of a client of the proxy: only the proxy's authority. */
    public final SSLContext client;

    /** The trust of a client that connects to the origin directly. */
    public final SSLContext direct;

    /** The origin's side. */
    public final SSLContext origin;

    /** Its key, for other implementations of TLS. */
    public final KeyManagerFactory originKeys;

    /** The origin's certificate, for {@code tls.upstream_ca}. */
    public final Path originPem;

    /** For an origin at {@code localhost}. */
    public TestCertificates(Path folder) {
        this(folder, "localhost");
    }

    /** For an origin with these names. */
    public TestCertificates(Path folder, String... originNames) {
        try {
            KeyPair authorityKeys = keys();
            X509Certificate authority = authority(authorityKeys);
            caCert = pem(folder.resolve("ca.pem"), authority);
            caKey = pem(folder.resolve("ca.key"), new JcaPKCS8Generator(authorityKeys.getPrivate(), null));
            Files.setPosixFilePermissions(caKey, PosixFilePermissions.fromString("rw-------"));
            client = trusting(authority);

            KeyPair originPair = keys();
            X509Certificate certificate = origin(originPair, originNames);
            direct = trusting(certificate);
            originKeys = managers(originPair, certificate);
            origin = SSLContext.getInstance("TLS");
            origin.init(originKeys.getKeyManagers(), null, null);
            originPem = pem(folder.resolve("origin.pem"), certificate);
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new AssertionError(e);
        }
    }

    private static KeyPair keys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    private static X509Certificate authority(KeyPair keys)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        JcaX509v3CertificateBuilder builder = selfSigned("CN=Test CA", keys);
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        builder.addExtension(
                Extension.subjectKeyIdentifier,
                false,
                new JcaX509ExtensionUtils().createSubjectKeyIdentifier(keys.getPublic()));
        return sign(builder, keys);
    }

    private static X509Certificate origin(KeyPair keys, String... names)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        JcaX509v3CertificateBuilder builder = selfSigned("CN=origin", keys);
        builder.addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(Arrays.stream(names)
                        .map(name -> new GeneralName(GeneralName.dNSName, name))
                        .toArray(GeneralName[]::new)));
        return sign(builder, keys);
    }

    private static JcaX509v3CertificateBuilder selfSigned(String subject, KeyPair keys) {
        X500Name name = new X500Name(subject);
        Instant now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                name,
                BigInteger.ONE,
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(Duration.ofDays(1))),
                name,
                keys.getPublic());
    }

    private static X509Certificate sign(JcaX509v3CertificateBuilder builder, KeyPair keys)
            throws GeneralSecurityException, OperatorCreationException {
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    }

    private static Path pem(Path file, Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return Files.writeString(file, text.toString());
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
