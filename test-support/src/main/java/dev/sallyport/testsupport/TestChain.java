package dev.sallyport.testsupport;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
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
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A root, an intermediate authority below it, and certificates that the latter has issued. */
public final class TestChain {

    private static final AtomicLong SERIALS = new AtomicLong(100);

    public final X509Certificate root;
    public final X509Certificate intermediate;

    /** For {@code tls.upstream_ca}. */
    public final Path rootPem;

    public final Path intermediatePem;

    private final Path folder;
    private final KeyPair signing;

    /** A certificate and its key, with the files that hold them. */
    public record Issued(X509Certificate certificate, PrivateKey key, Path certificatePem, Path keyPem) {}

    public TestChain(Path folder) {
        this.folder = folder;
        try {
            KeyPair rootKeys = keys();
            signing = keys();
            root = issue("CN=Test Root", rootKeys, "CN=Test Root", rootKeys, true, "");
            intermediate = issue("CN=Test Intermediate", signing, "CN=Test Root", rootKeys, true, "");
            rootPem = pem("root.pem", root);
            intermediatePem = pem("intermediate.pem", intermediate);
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new AssertionError(e);
        }
    }

    /** Issues a certificate by the intermediate authority, for a server or client of this name. */
    public Issued issue(String name) {
        try {
            KeyPair pair = keys();
            X509Certificate made = issue("CN=" + name, pair, "CN=Test Intermediate", signing, false, name);
            return new Issued(
                    made,
                    pair.getPrivate(),
                    pem(name + ".pem", made),
                    pem(name + ".key", new JcaPKCS8Generator(pair.getPrivate(), null)));
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new AssertionError(e);
        }
    }

    /** A server that sends these certificates behind its own, and trusts clients of this root. */
    public SSLContext server(String name, X509Certificate... issuers) {
        Issued own = issue(name);
        X509Certificate[] chain = new X509Certificate[issuers.length + 1];
        chain[0] = own.certificate();
        System.arraycopy(issuers, 0, chain, 1, issuers.length);
        try {
            KeyStore keys = emptyStore();
            keys.setKeyEntry("own", own.key(), new char[0], chain);
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, new char[0]);
            KeyStore roots = emptyStore();
            roots.setCertificateEntry("root", root);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(roots);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private static X509Certificate issue(
            String subject, KeyPair keys, String issuer, KeyPair signing, boolean authority, String dnsName)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                new X500Name(issuer),
                BigInteger.valueOf(SERIALS.incrementAndGet()),
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(Duration.ofDays(1))),
                new X500Name(subject),
                keys.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        if (authority) {
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
        } else {
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(GeneralName.dNSName, dnsName)));
        }
        return new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signing.getPrivate())));
    }

    private static KeyPair keys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    private Path pem(String file, Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return Files.writeString(folder.resolve(file), text.toString());
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }
}
