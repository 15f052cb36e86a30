package dev.sallyport.core.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Generates certificate authorities. */
final class AuthorityGenerator {

    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    AuthorityGenerator(Clock clock) {
        this.clock = clock;
    }

    CertificateAuthority generate(String commonName, Duration validity) {
        if (commonName.isEmpty() || commonName.length() > LeafFactory.MAX_COMMON_NAME) {
            throw new IllegalArgumentException("CA name: wrong length (expected: 1 to 64 characters)");
        }
        try {
            KeyPair pair = LeafFactory.newKeyPair();
            X500Name name = new X500NameBuilder(BCStyle.INSTANCE)
                    .addRDN(BCStyle.CN, commonName)
                    .build();
            Instant now = clock.instant();
            SubjectPublicKeyInfo publicKey =
                    SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded());
            X509v3CertificateBuilder builder = new X509v3CertificateBuilder(
                    name,
                    LeafFactory.newSerial(random),
                    CertificateTime.of(now.minus(LeafCache.Settings.BACKDATE)),
                    CertificateTime.of(now.plus(validity)),
                    name,
                    publicKey);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(publicKey));
            var signer = new JcaContentSignerBuilder(CertificateAuthority.signatureAlgorithm(pair.getPrivate()))
                    .build(pair.getPrivate());
            return new CertificateAuthority(
                    List.of(LeafFactory.certificate(builder.build(signer).getEncoded())), pair.getPrivate());
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException("this Java cannot make P-256 certificates", e);
        }
    }
}
