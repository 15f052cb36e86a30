package dev.sallyport.core.tls;

import io.netty.util.NetUtil;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.asn1.ASN1Object;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Mints leaves (docs/spec/decisions.md, section 2a): P-256, SHA-256, backdated, never beginning before the issuer or
 * outliving it, with a serial number of 128 random bits. All leaves of a factory share one key pair. Thread-safe.
 */
final class LeafFactory {

    /** The upper bound of RFC 5280 for a common name. */
    static final int MAX_COMMON_NAME = 64;

    private final CertificateAuthority authority;
    private final LeafCache.Settings settings;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    private final KeyPair pair;
    private final X500Name issuer;
    private final SubjectPublicKeyInfo publicKey;
    private final List<Extension> commonExtensions;
    private final JcaContentSignerBuilder signers;

    LeafFactory(CertificateAuthority authority, LeafCache.Settings settings, Clock clock) {
        this.authority = authority;
        this.settings = settings;
        this.clock = clock;
        try {
            pair = newKeyPair();
            issuer = X500Name.getInstance(
                    authority.certificate().getSubjectX500Principal().getEncoded());
            publicKey = SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded());
            commonExtensions = commonExtensions();
            signers = new JcaContentSignerBuilder(CertificateAuthority.signatureAlgorithm(authority.key()));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this Java cannot make P-256 certificates", e);
        }
    }

    /** Mints a leaf for a canonical name or address text. Takes some hundred microseconds. */
    LeafCertificate mint(String host) {
        Instant now = clock.instant();
        Instant issuerEnd = authority.certificate().getNotAfter().toInstant();
        if (!now.isBefore(issuerEnd)) {
            throw new IllegalStateException("the CA certificate expired at " + issuerEnd);
        }
        Instant issuerBegin = authority.certificate().getNotBefore().toInstant();
        Instant early = now.minus(settings.backdate());
        Instant begin = early.isBefore(issuerBegin) ? issuerBegin : early;
        Instant wanted = now.plus(settings.validity());
        Instant end = wanted.isBefore(issuerEnd) ? wanted : issuerEnd;
        String name = HostLabels.isBrowserOnly(host) ? HostLabels.wildcard(host) : host;
        try {
            boolean named = name.length() <= MAX_COMMON_NAME;
            BigInteger serial = newSerial(random);
            X509v3CertificateBuilder builder = new X509v3CertificateBuilder(
                    issuer,
                    serial,
                    CertificateTime.of(begin),
                    CertificateTime.of(end),
                    named ? commonName(name) : new X500Name(new RDN[0]),
                    publicKey);
            // Critical when it is the only name there is (RFC 5280, 4.2.1.6).
            builder.addExtension(Extension.subjectAlternativeName, !named, subjectAlternativeName(name));
            for (Extension extension : commonExtensions) {
                builder.addExtension(extension);
            }
            X509Certificate certificate =
                    certificate(builder.build(signers.build(authority.key())).getEncoded());
            return new LeafCertificate(host, serial.toString(16), chain(certificate), pair.getPrivate(), end);
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException("no certificate could be made for the requested name", e);
        }
    }

    private X509Certificate[] chain(X509Certificate certificate) {
        List<X509Certificate> chain = new ArrayList<>(authority.chain().size() + 1);
        chain.add(certificate);
        chain.addAll(authority.chain());
        return chain.toArray(X509Certificate[]::new);
    }

    private List<Extension> commonExtensions() throws GeneralSecurityException, IOException {
        List<Extension> all = new ArrayList<>(List.of(
                extension(Extension.basicConstraints, true, new BasicConstraints(false)),
                extension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature)),
                extension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth)),
                extension(
                        Extension.subjectKeyIdentifier,
                        false,
                        new JcaX509ExtensionUtils().createSubjectKeyIdentifier(publicKey)),
                extension(Extension.authorityKeyIdentifier, false, authorityKeyIdentifier(authority))));
        if (settings.crl() && RevocationList.mayBeSignedBy(authority)) {
            all.add(extension(Extension.cRLDistributionPoints, false, RevocationList.place()));
        }
        return List.copyOf(all);
    }

    private static Extension extension(ASN1ObjectIdentifier id, boolean critical, ASN1Object value) throws IOException {
        return new Extension(id, critical, value.getEncoded());
    }

    /** Names the issuer by its subject key identifier, or else by the one of RFC 5280, 4.2.1.2. */
    static AuthorityKeyIdentifier authorityKeyIdentifier(CertificateAuthority authority)
            throws GeneralSecurityException {
        byte[] own = authority.certificate().getExtensionValue(Extension.subjectKeyIdentifier.getId());
        SubjectKeyIdentifier identifier = own == null
                ? new JcaX509ExtensionUtils()
                        .createSubjectKeyIdentifier(authority.certificate().getPublicKey())
                : SubjectKeyIdentifier.getInstance(
                        DEROctetString.getInstance(own).getOctets());
        return new AuthorityKeyIdentifier(identifier.getKeyIdentifier());
    }

    private static X500Name commonName(String host) {
        return new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, host).build();
    }

    private static GeneralNames subjectAlternativeName(String host) {
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        return new GeneralNames(
                address == null
                        ? new GeneralName(GeneralName.dNSName, host)
                        : new GeneralName(GeneralName.iPAddress, new DEROctetString(address)));
    }

    static KeyPair newKeyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    static BigInteger newSerial(SecureRandom random) {
        return new BigInteger(128, random).max(BigInteger.ONE);
    }

    static X509Certificate certificate(byte[] der) throws GeneralSecurityException {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
    }
}
