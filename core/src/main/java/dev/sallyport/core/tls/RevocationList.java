package dev.sallyport.core.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.CRLDistPoint;
import org.bouncycastle.asn1.x509.CRLNumber;
import org.bouncycastle.asn1.x509.DistributionPoint;
import org.bouncycastle.asn1.x509.DistributionPointName;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The list of revoked leaves (RFC 5280, 5), which is empty, since leaves are short-lived. Clients that insist on asking,
 * as those of Windows do, would accept no leaf without.
 */
public final class RevocationList {

    /** Where leaves say that it is. */
    static final String ADDRESS = "http://sallyport.internal/ca.crl";

    /** The bit of cRLSign in the key usage extension. */
    private static final int CRL_SIGN = 6;

    private RevocationList() {}

    /** Whether an authority may sign one. A certificate without a key usage extension may (RFC 5280, 4.2.1.3). */
    public static boolean mayBeSignedBy(CertificateAuthority authority) {
        boolean[] usage = authority.certificate().getKeyUsage();
        return usage == null || usage[CRL_SIGN];
    }

    /**
     * Signs an empty list in DER, valid as long as the authority is. Takes some milliseconds with a long RSA key.
     *
     * @param authority one that may sign it
     */
    public static byte[] sign(CertificateAuthority authority) {
        X509Certificate issuer = authority.certificate();
        Instant begin = issuer.getNotBefore().toInstant();
        Instant early = Instant.now().minus(LeafCache.Settings.BACKDATE);
        try {
            X509v2CRLBuilder builder = new X509v2CRLBuilder(
                    X500Name.getInstance(issuer.getSubjectX500Principal().getEncoded()),
                    CertificateTime.of(early.isBefore(begin) ? begin : early));
            builder.setNextUpdate(CertificateTime.of(issuer.getNotAfter().toInstant()));
            builder.addExtension(Extension.cRLNumber, false, new CRLNumber(BigInteger.ONE));
            builder.addExtension(
                    Extension.authorityKeyIdentifier, false, LeafFactory.authorityKeyIdentifier(authority));
            return builder.build(new JcaContentSignerBuilder(CertificateAuthority.signatureAlgorithm(authority.key()))
                            .build(authority.key()))
                    .getEncoded();
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException("this Java cannot sign a list of revoked certificates", e);
        }
    }

    /** The extension by which a certificate says where the list is. */
    static CRLDistPoint place() {
        GeneralNames address = new GeneralNames(new GeneralName(GeneralName.uniformResourceIdentifier, ADDRESS));
        return new CRLDistPoint(
                new DistributionPoint[] {new DistributionPoint(new DistributionPointName(address), null, null)});
    }
}
