package dev.sallyport.core.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes authorities of every kind, sound and broken. */
final class TestAuthority {

    /** The kinds of key that an operator's authority may have. */
    enum Kind {
        RSA_2048("RSA", "2048"),
        EC_P256("EC", "secp256r1"),
        EC_P384("EC", "secp384r1");

        private final String algorithm;
        private final String size;

        Kind(String algorithm, String size) {
            this.algorithm = algorithm;
            this.size = size;
        }

        KeyPair newPair() throws Exception {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            if (algorithm.equals("RSA")) {
                generator.initialize(Integer.parseInt(size));
            } else {
                generator.initialize(new ECGenParameterSpec(size));
            }
            return generator.generateKeyPair();
        }
    }

    private static final AtomicInteger COUNT = new AtomicInteger();

    final KeyPair pair;
    String name = "CN=Test Authority " + COUNT.incrementAndGet() + ",O=Sallyport";
    boolean ca = true;
    int keyUsage = KeyUsage.keyCertSign | KeyUsage.cRLSign;
    Instant from = Instant.now().minus(1, ChronoUnit.DAYS);
    Instant until = Instant.now().plus(30, ChronoUnit.DAYS);

    TestAuthority(Kind kind) throws Exception {
        this.pair = kind.newPair();
    }

    TestAuthority(KeyPair pair) {
        this.pair = pair;
    }

    X509Certificate certificate() throws Exception {
        X500Name subject = new X500Name(name);
        X509v3CertificateBuilder builder = new X509v3CertificateBuilder(
                subject,
                LeafFactory.newSerial(new SecureRandom()),
                Date.from(from),
                Date.from(until),
                subject,
                SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()));
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(ca));
        if (keyUsage != 0) {
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(keyUsage));
        }
        String algorithm = switch (pair.getPrivate().getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "Ed25519";
        };
        return LeafFactory.certificate(builder.build(new JcaContentSignerBuilder(algorithm).build(pair.getPrivate()))
                .getEncoded());
    }

    String certificatePem() throws Exception {
        return Pem.encode(Pem.CERTIFICATE, certificate().getEncoded());
    }

    String keyPem() {
        return Pem.encode(Pem.PKCS8, pair.getPrivate().getEncoded());
    }

    CertificateAuthority authority() throws Exception {
        return new CertificateAuthority(List.of(certificate()), pair.getPrivate());
    }

    static CertificateAuthority of(Kind kind) throws Exception {
        return new TestAuthority(kind).authority();
    }

    /** A file with only this certificate. */
    static Path trustFile(Path folder, X509Certificate certificate) throws Exception {
        return write(
                folder, "trust-" + System.nanoTime() + ".pem", Pem.encode(Pem.CERTIFICATE, certificate.getEncoded()));
    }

    static Path write(Path folder, String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }
}
