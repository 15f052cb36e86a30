package dev.sallyport.core.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertPathValidator;
import java.security.cert.CertStore;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** docs/spec/decisions.md, section 20: the list of revoked leaves, for clients that insist on one. */
class RevocationListTest {

    private static X509Certificate leaf(CertificateAuthority authority, LeafCache.Settings settings) throws Exception {
        return new LeafCache(authority, settings, Runnable::run)
                .leaf("api.example.com")
                .toCompletableFuture()
                .get()
                .certificate();
    }

    private static LeafCache.Settings settings(boolean crl) {
        return new LeafCache.Settings(1, Duration.ofDays(1), Duration.ofMinutes(5), crl);
    }

    private static X509CRL list(CertificateAuthority authority) throws Exception {
        return (X509CRL) CertificateFactory.getInstance("X.509")
                .generateCRL(new ByteArrayInputStream(RevocationList.sign(authority)));
    }

    @ParameterizedTest
    @EnumSource(TestAuthority.Kind.class)
    void satisfiesAValidatorThatInsistsOnOne(TestAuthority.Kind kind) throws Exception {
        CertificateAuthority authority = TestAuthority.of(kind);
        X509CRL list = list(authority);
        CertPathValidator validator = CertPathValidator.getInstance("PKIX");
        PKIXRevocationChecker checker = (PKIXRevocationChecker) validator.getRevocationChecker();
        checker.setOptions(
                EnumSet.of(PKIXRevocationChecker.Option.PREFER_CRLS, PKIXRevocationChecker.Option.NO_FALLBACK));
        PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(authority.certificate(), null)));
        parameters.addCertPathChecker(checker);
        parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(List.of(list))));

        validator.validate(
                CertificateFactory.getInstance("X.509").generateCertPath(List.of(leaf(authority, settings(true)))),
                parameters);

        list.verify(authority.certificate().getPublicKey());
        assertThat(list.getRevokedCertificates()).isNull();
        assertThat(list.getThisUpdate().toInstant()).isBefore(Instant.now());
        assertThat(list.getNextUpdate()).isEqualTo(authority.certificate().getNotAfter());
    }

    @Test
    void leavesNameItUnlessTheyAreToldNotTo() throws Exception {
        CertificateAuthority authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        String id = Extension.cRLDistributionPoints.getId();

        byte[] named = leaf(authority, settings(true)).getExtensionValue(id);

        assertThat(new String(named, StandardCharsets.ISO_8859_1)).contains(RevocationList.ADDRESS);
        assertThat(leaf(authority, settings(false)).getExtensionValue(id)).isNull();
    }

    @Test
    void anAuthorityThatMayNotSignOneIsNotAskedTo() throws Exception {
        TestAuthority made = new TestAuthority(TestAuthority.Kind.EC_P256);
        made.keyUsage = KeyUsage.keyCertSign;
        CertificateAuthority authority = made.authority();

        assertThat(RevocationList.mayBeSignedBy(authority)).isFalse();
        assertThat(leaf(authority, settings(true)).getExtensionValue(Extension.cRLDistributionPoints.getId()))
                .isNull();
    }
}
