package dev.sallyport.core.tls;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.testsupport.Patience;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.Time;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * docs/spec/decisions.md, section 2a: what {@code ca_cert} and {@code ca_key} accept, and what is a configuration
 * error.
 */
class CertificateAuthorityTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(TestAuthority.Kind.class)
    void acceptsPkcs8(TestAuthority.Kind kind) throws Exception {
        TestAuthority authority = new TestAuthority(kind);

        CertificateAuthority loaded = load(authority.certificatePem(), authority.keyPem());

        assertThat(loaded.key()).isEqualTo(authority.pair.getPrivate());
    }

    @Test
    void acceptsPkcs1() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.RSA_2048);
        byte[] der = PrivateKeyInfo.getInstance(authority.pair.getPrivate().getEncoded())
                .parsePrivateKey()
                .toASN1Primitive()
                .getEncoded();

        CertificateAuthority loaded = load(authority.certificatePem(), Pem.encode("RSA PRIVATE KEY", der));

        assertThat(loaded.key()).isEqualTo(authority.pair.getPrivate());
    }

    @Test
    void acceptsSec1WhoseCurveStandsInTheParametersBeforeIt() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P384);
        PrivateKeyInfo info =
                PrivateKeyInfo.getInstance(authority.pair.getPrivate().getEncoded());
        String parameters = Pem.encode(
                "EC PARAMETERS",
                info.getPrivateKeyAlgorithm().getParameters().toASN1Primitive().getEncoded());
        String key = Pem.encode(
                "EC PRIVATE KEY", info.parsePrivateKey().toASN1Primitive().getEncoded());

        CertificateAuthority loaded = load(authority.certificatePem(), parameters + key);

        assertThat(loaded.key()).isEqualTo(authority.pair.getPrivate());
    }

    @Test
    void acceptsCrLfAndCommentsAround() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);
        String certificate = ("# the authority\nsubject=CN = Test\n\n" + authority.certificatePem()
                        + "\ntrailing words\n")
                .replace("\n", "\r\n");
        String key = ("Bag Attributes\n    friendlyName: ca\n" + authority.keyPem()).replace("\n", "\r\n");

        assertThat(load(certificate, key).key()).isEqualTo(authority.pair.getPrivate());
    }

    @ParameterizedTest
    @CsvSource({
        "genrsa -traditional -out key.pem 2048",
        "genrsa -out key.pem 2048",
        "ecparam -name prime256v1 -genkey -out key.pem",
        "ecparam -name secp384r1 -genkey -noout -out key.pem",
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521 -out key.pem"
    })
    void acceptsWhatOpensslMakes(String command) throws Exception {
        openssl(command.split(" "));
        openssl(
                "req",
                "-x509",
                "-new",
                "-key",
                "key.pem",
                "-subj",
                "/CN=Made by openssl",
                "-days",
                "2",
                "-out",
                "ca.pem");

        CertificateAuthority loaded = CertificateAuthority.load(folder.resolve("ca.pem"), folder.resolve("key.pem"));

        assertThat(loaded.toString()).contains("Made by openssl");
    }

    @ParameterizedTest
    @CsvSource({
        "genrsa -traditional -aes128 -passout pass:secret -out key.pem 2048",
        "genrsa -aes128 -passout pass:secret -out key.pem 2048"
    })
    void refusesAnEncryptedKey(String command) throws Exception {
        openssl(command.split(" "));
        String key = Files.readString(folder.resolve("key.pem"));
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.RSA_2048);

        assertThatThrownBy(() -> load(authority.certificatePem(), key))
                .isInstanceOf(TlsMaterialException.class)
                .hasMessage(folder.resolve("ca.key")
                        + ": the private key is encrypted (expected: a key without passphrase)");
    }

    @Test
    void refusesACertificateThatIsNoAuthority() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);
        authority.ca = false;

        assertThatThrownBy(() -> load(authority.certificatePem(), authority.keyPem()))
                .hasMessage(
                        folder.resolve("ca.pem") + ": not a CA certificate (expected: basic constraints with CA:TRUE)");
    }

    @Test
    void refusesACertificateThatMayNotSign() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);
        authority.keyUsage = KeyUsage.digitalSignature;

        assertThatThrownBy(() -> load(authority.certificatePem(), authority.keyPem()))
                .hasMessage(folder.resolve("ca.pem")
                        + ": the certificate may not sign others (expected: key usage with keyCertSign)");
    }

    @Test
    void acceptsACertificateWithoutKeyUsageAsRfc5280Does() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);
        authority.keyUsage = 0;

        assertThat(load(authority.certificatePem(), authority.keyPem()).key()).isNotNull();
    }

    @Test
    void refusesAnExpiredCertificate() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);
        authority.until = Instant.now().minus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS);

        assertThatThrownBy(() -> load(authority.certificatePem(), authority.keyPem()))
                .hasMessage(folder.resolve("ca.pem") + ": the CA certificate expired at " + authority.until);
    }

    @Test
    void refusesACertificateOfTheFuture() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);
        authority.from = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS);

        assertThatThrownBy(() -> load(authority.certificatePem(), authority.keyPem()))
                .hasMessage(folder.resolve("ca.pem") + ": the CA certificate is not valid before " + authority.from);
    }

    @Test
    void refusesAKeyOfAnotherCertificate() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);

        for (TestAuthority.Kind kind : TestAuthority.Kind.values()) {
            String key = new TestAuthority(kind).keyPem();
            assertThatThrownBy(() -> load(authority.certificatePem(), key))
                    .as(kind.toString())
                    .hasMessage(folder.resolve("ca.key") + ": the key does not belong to the certificate "
                            + folder.resolve("ca.pem"));
        }
    }

    /** The public half beside the private one, as OpenSSL writes it, stands in for a signature. */
    @Test
    void aKeyThatItWritesTellsItsPublicHalf() throws Exception {
        CertificateAuthority made = CertificateAuthority.generate("test", Duration.ofDays(1));
        Path certificate = folder.resolve("made.pem");
        Path key = folder.resolve("made.key");
        made.write(certificate, key);

        assertThat(new KeyReader("made.key").read(Files.readString(key)).publicKey())
                .isEqualTo(made.certificate().getPublicKey().getEncoded());
        BigInteger number = ((ECPrivateKey) made.key()).getS();
        for (Path file : List.of(key, openssl(key))) {
            CertificateAuthority loaded = CertificateAuthority.load(certificate, file);
            assertThat(loaded.certificate()).isEqualTo(made.certificate());
            assertThat(((ECPrivateKey) loaded.key()).getS()).isEqualTo(number);
        }
    }

    /** The same key as SEC1, by OpenSSL. */
    private Path openssl(Path key) throws Exception {
        Path sec1 = folder.resolve("sec1.key");
        Process process = new ProcessBuilder("openssl", "ec", "-in", key.toString(), "-out", sec1.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(process.waitFor())
                .as(new String(process.getInputStream().readAllBytes(), UTF_8))
                .isZero();
        return sec1;
    }

    @Test
    void refusesAKeyThatTellsAnotherPublicHalf() throws Exception {
        CertificateAuthority made = CertificateAuthority.generate("test", Duration.ofDays(1));
        CertificateAuthority other = CertificateAuthority.generate("test", Duration.ofDays(1));
        made.write(folder.resolve("made.pem"), folder.resolve("made.key"));
        other.write(folder.resolve("other.pem"), folder.resolve("other.key"));

        assertThatThrownBy(() -> CertificateAuthority.load(folder.resolve("made.pem"), folder.resolve("other.key")))
                .hasMessage(folder.resolve("other.key") + ": the key does not belong to the certificate "
                        + folder.resolve("made.pem"));
    }

    /** RFC 5280, 4.1.2.5: two digits of the year until 2049, four from 2050 on. */
    @ParameterizedTest
    @ValueSource(
            strings = {"2026-01-02T03:04:05Z", "2049-12-31T23:59:59Z", "2050-01-01T00:00:00Z", "2096-02-29T10:20:30Z"})
    void timesAreWrittenAsTheStandardHasThem(String text) throws Exception {
        Instant instant = Instant.parse(text);

        assertThat(CertificateTime.of(instant.plusMillis(999)).getEncoded())
                .isEqualTo(new Time(Date.from(instant)).getEncoded());
    }

    @Test
    void refusesOtherAlgorithms() throws Exception {
        TestAuthority sound = new TestAuthority(TestAuthority.Kind.EC_P256);
        TestAuthority authority =
                new TestAuthority(KeyPairGenerator.getInstance("Ed25519").generateKeyPair());

        assertThatThrownBy(() -> load(sound.certificatePem(), authority.keyPem()))
                .hasMessageContaining("ca.key: unsupported key algorithm 1.3.101.112 (expected: an RSA or EC key)");
        assertThatThrownBy(() -> load(authority.certificatePem(), sound.keyPem()))
                .hasMessageContaining("ca.pem: unsupported key algorithm")
                .hasMessageContaining("(expected: an RSA or EC certificate)");
    }

    /** Java reads such keys, and the first leaf would fail. */
    @ParameterizedTest
    @ValueSource(strings = {"secp256k1", "brainpoolP256r1", "secp224r1"})
    void refusesAKeyOnACurveThatJavaDoesNotSignWith(String curve) throws Exception {
        openssl("ecparam", "-name", curve, "-genkey", "-noout", "-out", "key.pem");
        openssl("req", "-x509", "-new", "-key", "key.pem", "-subj", "/CN=Odd", "-days", "2", "-out", "ca.pem");
        Path key = folder.resolve("key.pem");

        assertThatThrownBy(() -> CertificateAuthority.load(folder.resolve("ca.pem"), key))
                .isInstanceOf(TlsMaterialException.class)
                .hasMessage(key + ": the EC key is on " + curve
                        + ", which cannot sign here (expected: RSA, or EC on P-256, P-384 or P-521)");
    }

    @Test
    void namesTheFileThatIsMissingOrNoPem() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);
        Path certificate = TestAuthority.write(folder, "ca.pem", authority.certificatePem());
        Path key = TestAuthority.write(folder, "ca.key", authority.keyPem());
        Path none = folder.resolve("none.pem");

        assertThatThrownBy(() -> CertificateAuthority.load(none, key))
                .hasMessage(none + ": no such file (expected: a PEM file)");
        assertThatThrownBy(() -> CertificateAuthority.load(certificate, none))
                .hasMessage(none + ": no such file (expected: a PEM file)");
        assertThatThrownBy(() -> CertificateAuthority.load(folder, key))
                .hasMessage(folder + ": cannot be read: it is a directory (expected: a PEM file)");
        assertThatThrownBy(() -> CertificateAuthority.load(key, key))
                .hasMessage(key + ": no certificate block, found: PRIVATE KEY (expected: CERTIFICATE in PEM)");
        assertThatThrownBy(() -> CertificateAuthority.load(certificate, certificate))
                .hasMessage(certificate + ": no private key block, found: CERTIFICATE"
                        + " (expected: PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY in PEM)");
    }

    @Test
    void saysWhatIsDamagedWithoutShowingIt() throws Exception {
        TestAuthority authority = new TestAuthority(TestAuthority.Kind.EC_P256);

        assertThatThrownBy(() -> load(
                        authority.certificatePem(),
                        "-----BEGIN PRIVATE KEY-----\n!hunter2!\n-----END PRIVATE KEY-----\n"))
                .hasMessageEndingWith("ca.key: the PRIVATE KEY block is not valid base64");
        assertThatThrownBy(() -> load(
                        authority.certificatePem(), Pem.encode(Pem.PKCS8, "hunter2".getBytes(StandardCharsets.UTF_8))))
                .hasMessageEndingWith("ca.key: the PRIVATE KEY block is damaged");
        assertThatThrownBy(() -> load(authority.certificatePem(), "-----BEGIN PRIVATE KEY-----\nhunter2"))
                .hasMessageEndingWith("ca.key: a PEM block does not end (expected: END PRIVATE KEY)");
        assertThatThrownBy(() ->
                        load("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", authority.keyPem()))
                .hasMessageEndingWith("ca.pem: a CERTIFICATE block is damaged (expected: an X.509 certificate)");
    }

    @Test
    void whatItGeneratesCanBeLoadedAndTheKeyIsForItsOwnerOnly() throws Exception {
        Path certificate = folder.resolve("new.pem");
        Path key = TestAuthority.write(folder, "new.key", "what was there before");

        CertificateAuthority.generate("Sallyport", Duration.ofDays(10)).write(certificate, key);

        CertificateAuthority loaded = CertificateAuthority.load(certificate, key);
        assertThat(loaded.certificate().getBasicConstraints()).isNotNegative();
        assertThat(loaded.certificate().getNotAfter().toInstant())
                .isBetween(Instant.now().plus(9, ChronoUnit.DAYS), Instant.now().plus(11, ChronoUnit.DAYS));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(certificate)))
                .isEqualTo("rw-r--r--");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(certificate, key);
        }
    }

    private CertificateAuthority load(String certificatePem, String keyPem) throws Exception {
        return CertificateAuthority.load(
                TestAuthority.write(folder, "ca.pem", certificatePem), TestAuthority.write(folder, "ca.key", keyPem));
    }

    private void openssl(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (java.io.IOException e) {
            assumeTrue(false, "no openssl on this machine");
            return;
        }
        assertThat(process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(command.toString()).isZero();
    }
}
