package dev.sallyport.compare.net;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;

/** A certificate authority on P-256 for one run, and the certificates that it signs. */
public final class Authority {

    private static final Duration VALIDITY = Duration.ofDays(30);

    private final String name;
    private final KeyPair pair;
    private final X509Certificate certificate;
    private final SecureRandom random = new SecureRandom();

    /** A certificate, the authority behind it, and the key. */
    public record Identity(PrivateKey key, List<X509Certificate> chain) {}

    public Authority(String name) {
        this.name = name;
        pair = newPair();
        certificate = sign(name, pair, builder -> {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        });
    }

    private interface Extensions {
        void add(X509v3CertificateBuilder builder) throws IOException;
    }

    public X509Certificate certificate() {
        return certificate;
    }

    /** A certificate for servers of these names. */
    public Identity identity(String... names) {
        KeyPair own = newPair();
        GeneralName[] alternatives = new GeneralName[names.length];
        for (int i = 0; i < names.length; i++) {
            boolean address = Character.isDigit(names[i].charAt(names[i].length() - 1));
            alternatives[i] = new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, names[i]);
        }
        X509Certificate leaf = sign(names[0], own, builder -> {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(alternatives));
        });
        return new Identity(own.getPrivate(), List.of(leaf, certificate));
    }

    public String certificatePem() {
        return pem(certificate);
    }

    /** The key as PKCS #8, with its public half, as OpenSSL writes it. */
    public String keyPem() {
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(pair.getPrivate().getEncoded());
        ECPrivateKey key = (ECPrivateKey) pair.getPrivate();
        AlgorithmIdentifier algorithm = info.getPrivateKeyAlgorithm();
        SubjectPublicKeyInfo known =
                SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded());
        try {
            return pem(new PemObject(
                    "PRIVATE KEY",
                    new PrivateKeyInfo(
                                    algorithm,
                                    new org.bouncycastle.asn1.sec.ECPrivateKey(
                                            256, key.getS(), known.getPublicKeyData(), algorithm.getParameters()))
                            .getEncoded()));
        } catch (IOException e) {
            throw new IllegalStateException("a key that cannot be written as PEM", e);
        }
    }

    public static String keyPem(PrivateKey key) {
        try {
            return pem(new JcaPKCS8Generator(key, null));
        } catch (IOException e) {
            throw new IllegalStateException("a key that cannot be written as PEM", e);
        }
    }

    public static String pem(Object object) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        } catch (IOException e) {
            throw new IllegalStateException("not to be written as PEM", e);
        }
        return text.toString();
    }

    private X509Certificate sign(String subject, KeyPair own, Extensions extensions) {
        Instant now = Instant.now();
        try {
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    new X500Name("CN=" + name),
                    new BigInteger(127, random),
                    Date.from(now.minus(Duration.ofHours(1))),
                    Date.from(now.plus(VALIDITY)),
                    new X500Name("CN=" + subject),
                    own.getPublic());
            JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
            builder.addExtension(
                    Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(own.getPublic()));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    identifiers.createAuthorityKeyIdentifier(pair.getPublic()));
            extensions.add(builder);
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException("this Java cannot make P-256 certificates", e);
        }
    }

    private static KeyPair newPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot make P-256 keys", e);
        }
    }
}
