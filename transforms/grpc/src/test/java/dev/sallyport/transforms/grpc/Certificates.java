package dev.sallyport.transforms.grpc;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;

/** An authority of a test, and what it issues. */
final class Certificates {

    private static final AtomicLong SERIALS = new AtomicLong(1);

    private final Path folder;
    private final KeyPair keys = pair("EC");
    private final X509Certificate root;

    /** Files of one certificate and its key. */
    record Issued(Path cert, Path key) {}

    Certificates(Path folder) throws Exception {
        this.folder = folder;
        this.root = sign("CN=Policy CA", keys, keys, true);
    }

    static KeyPair pair(String algorithm) throws GeneralSecurityException {
        return KeyPairGenerator.getInstance(algorithm).generateKeyPair();
    }

    /** The authority's own certificate. */
    Path authority() throws IOException {
        return write("authority.pem", root);
    }

    /** A certificate for 127.0.0.1, and its key in PKCS#8. */
    Issued issue(String name, String algorithm) throws Exception {
        KeyPair own = pair(algorithm);
        Path cert = write(name + ".pem", sign("CN=" + name, own, keys, false));
        Path key = folder.resolve(name + ".key");
        Files.writeString(
                key,
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(own.getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
        return new Issued(cert, key);
    }

    /** The same with the key as OpenSSL used to write it: PKCS#1 or SEC1. */
    Issued issueOld(String name, String algorithm) throws Exception {
        KeyPair own = pair(algorithm);
        Object key = own.getPrivate() instanceof ECPrivateKey ec ? sec1(ec) : own.getPrivate();
        return new Issued(write(name + ".pem", sign("CN=" + name, own, keys, false)), write(name + ".key", key));
    }

    /** With the name of the curve, which the JDK leaves out. */
    private static PemObject sec1(ECPrivateKey key) throws IOException {
        return new PemObject(
                "EC PRIVATE KEY",
                new org.bouncycastle.asn1.sec.ECPrivateKey(
                                key.getParams().getOrder().bitLength(),
                                key.getS(),
                                PrivateKeyInfo.getInstance(key.getEncoded())
                                        .getPrivateKeyAlgorithm()
                                        .getParameters())
                        .getEncoded());
    }

    private Path write(String name, Object content) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
            pem.writeObject(content);
        }
        return Files.writeString(folder.resolve(name), text.toString());
    }

    private static X509Certificate sign(String subject, KeyPair of, KeyPair by, boolean authority)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                new X500Name("CN=Policy CA"),
                BigInteger.valueOf(SERIALS.getAndIncrement()),
                Date.from(now.minus(1, ChronoUnit.HOURS)),
                Date.from(now.plus(1, ChronoUnit.DAYS)),
                new X500Name(subject),
                of.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        builder.addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(by.getPrivate())));
    }
}
