package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.Command;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How guests come to trust the gate: what they see, and the script that they run, in a folder of this machine. */
class GuestTrustTest {

    private static final String ONE = """
            -----BEGIN CERTIFICATE-----
            MIIBfTCCASOgAwIBAgIUdyWFLi109qP0+tM9YZAK7D3wg7EwCgYIKoZIzj0EAwIw
            EzERMA8GA1UEAwwIdGVzdCBvbmUwIBcNMjYxMTMwMDUzOTMxWhgPMjEyNjExMDYw
            NTM5MzFaMBMxETAPBgNVBAMMCHRlc3Qgb25lMFkwEwYHKoZIzj0CAQYIKoZIzj0D
            AQcDQgAECjTmvEOr2BUXReNM8yjcd0NKlPLg4YLprcnxlfBpf2Wx1UHy61fEtJgZ
            GYfjL9KMgmCJmAkDJjcgcAxMYeFcRKNTMFEwHQYDVR0OBBYEFH6uu+DtjS13jVND
            4NNDFIkhhY24MB8GA1UdIwQYMBaAFH6uu+DtjS13jVND4NNDFIkhhY24MA8GA1Ud
            EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhANGXQA32+YaFyF8XuPYaJCpS
            RQM4lPbWkQPPCKoCnHAgAiBaMFWUVpeOR4aPbBlIF9f4nDLDtQhHdbdJOs2RZlQh
            qw==
            -----END CERTIFICATE-----
            """;

    private static final String TWO = """
            -----BEGIN CERTIFICATE-----
            MIIBfjCCASOgAwIBAgIUSyrUJ592L8KHo+OAFLg2WY5n0gEwCgYIKoZIzj0EAwIw
            EzERMA8GA1UEAwwIdGVzdCB0d28wIBcNMjYxMTMwMDUzOTMxWhgPMjEyNjExMDYw
            NTM5MzFaMBMxETAPBgNVBAMMCHRlc3QgdHdvMFkwEwYHKoZIzj0CAQYIKoZIzj0D
            AQcDQgAE/iKG5fGOoBxIxvG/wt3ydvHtXbQYk9NPw3leyg21YptjWWkv5fcB7UGP
            9H58I+3B4KkkMYG2uN2g2TtezcjcjaNTMFEwHQYDVR0OBBYEFOGUy/CwFdaAaVsW
            jA9FurejXRm/MB8GA1UdIwQYMBaAFOGUy/CwFdaAaVsWjA9FurejXRm/MA8GA1Ud
            EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhALIK/OZxiDDV7jwuZARymf6Y
            +vNt7qnpEfZfa1TTolkrAiEAtPnVMWFX0NhDO5jW6XqWGhupMlF1Iy0qYzO8bxjU
            h/g=
            -----END CERTIFICATE-----
            """;

    private static final String BUNDLE = "etc/ssl/certs/ca-certificates.crt";
    private static final String ANCHOR = "usr/local/share/ca-certificates/sallyport.crt";

    @TempDir
    Path folder;

    private Path authority;
    private GuestTrust trust;

    /** A guest's files, and this machine's own programs. */
    private Path guest;

    @BeforeEach
    void open() throws Exception {
        authority = Files.writeString(folder.resolve("ca.pem"), ONE);
        guest = Files.createDirectory(folder.resolve("guest"));
        trust = new GuestTrust(
                authority, Files.createDirectories(guest.resolve("run")).resolve("sallyport-trust"));
        trust.renew();
    }

    private Path file(String path) {
        return guest.resolve(path);
    }

    private Path put(String path, String text) throws IOException {
        Files.createDirectories(file(path).getParent());
        return Files.writeString(file(path), text);
    }

    /** The first {@code keytool} there is is the guest's, as in a guest. */
    private void boot() throws Exception {
        Command.of("sh", trust.folder().resolve("setup.sh").toString(), guest.toString())
                .with("PATH", file("usr/lib/jvm/jdk/bin") + ":" + System.getenv("PATH"))
                .run();
    }

    @Test
    void everybodyInAGuestReadsItAndNobodyElseThanItsOwnerWrites() throws Exception {
        for (String name : new String[] {"ca.pem", "setup.sh", "variables.sh"}) {
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(trust.folder().resolve(name))))
                    .isEqualTo("rw-r--r--");
        }
        assertThat(trust.folder().resolve("ca.pem")).hasContent(ONE);
    }

    @Test
    void aFileOfCertificatesAndOtherThingsIsSeenAsCertificates() throws Exception {
        Files.writeString(
                authority, "root:hidden\n" + ONE + "-----BEGIN KEY-----\nc2VjcmV0\n-----END KEY-----\n" + TWO);

        trust.renew();

        assertThat(trust.folder().resolve("ca.pem")).hasContent(ONE + TWO);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "root:hidden:1:1",
                "-----BEGIN CERTIFICATE-----\nhidden\n-----END CERTIFICATE-----\n",
                "-----BEGIN CERTIFICATE-----\naGlkZGVu\n-----END CERTIFICATE-----\n"
            })
    void aFileThatIsNoAuthorityStartsNoGuestAndIsNotShown(String text) throws Exception {
        Files.writeString(authority, text);

        assertThatThrownBy(trust::renew)
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE))
                .hasMessageStartingWith("ca_cert: " + authority)
                .message()
                .doesNotContain("hidden");
        assertThat(trust.folder().resolve("ca.pem")).hasContent(ONE);
    }

    @Test
    void whatIsNoFileIsNotRead() throws Exception {
        Files.delete(authority);
        Files.createSymbolicLink(authority, Path.of("/dev/zero"));

        assertThatThrownBy(trust::renew).hasMessageContaining("is no file");
    }

    @ParameterizedTest
    @CsvSource({
        BUNDLE + ", " + BUNDLE,
        "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem, etc/ssl/cert.pem",
        "var/lib/ca-certificates/ca-bundle.pem, etc/ssl/ca-bundle.pem"
    })
    void theBundleOfADistributionHasItOnceAndKeepsItsOwn(String bundle, String link) throws Exception {
        put(bundle, TWO.strip()); // without an end of line
        if (!link.equals(bundle)) {
            Files.createDirectories(file(link).getParent());
            Files.createSymbolicLink(file(link), file(bundle));
        }

        boot();
        boot();

        assertThat(file(bundle)).hasContent(TWO + ONE);
        assertThat(file(ANCHOR)).hasContent(ONE);
    }

    @Test
    void aGuestWithoutTrustStoresHasOne() throws Exception {
        boot();

        assertThat(file(BUNDLE)).hasContent(ONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "etc/pki/ca-trust/source/anchors",
                "etc/pki/trust/anchors",
                "etc/ca-certificates/trust-source/anchors"
            })
    void whatBuildsStoresAnewFindsIt(String anchors) throws Exception {
        Files.createDirectories(file(anchors));

        boot();

        assertThat(file(anchors).resolve("sallyport.pem")).hasContent(ONE);
    }

    @Test
    void anotherAuthorityIsTrustedFromTheNextStartOn() throws Exception {
        put(BUNDLE, "");
        boot();
        Files.writeString(authority, TWO);
        trust.renew();

        boot();

        assertThat(Files.readString(file(BUNDLE))).endsWith(TWO);
        assertThat(file(ANCHOR)).hasContent(TWO);
    }

    @Test
    void aBundleThatWasBuiltAnewWithoutItHasItAgain() throws Exception {
        put(BUNDLE, TWO);
        boot();
        put(BUNDLE, TWO);

        boot();

        assertThat(file(BUNDLE)).hasContent(TWO + "\n" + ONE);
    }

    @Test
    void openSslFindsTheBundleByItself() throws Exception {
        put(BUNDLE, TWO);
        Files.createDirectories(file("usr/lib/ssl"));

        boot();

        assertThat(Files.readSymbolicLink(file("usr/lib/ssl/cert.pem"))).isEqualTo(Path.of("/" + BUNDLE));
    }

    @Test
    @Timeout(60)
    void theStoreOfTheGuestsOwnJdkTakesIt() throws Exception {
        put("usr/lib/jvm/jdk/lib/security/cacerts", "a store");
        Path keytool =
                put("usr/lib/jvm/jdk/bin/keytool", "#!/bin/sh\necho \"$@\" >> " + folder.resolve("calls") + "\n");
        Files.setPosixFilePermissions(keytool, PosixFilePermissions.fromString("rwxr-xr-x"));
        String store = "-keystore " + file("usr/lib/jvm/jdk/lib/security/cacerts") + " -storepass changeit";

        boot();

        String calls =
                "-delete -alias sallyport-sandbox " + store + "\n-importcert -noprompt -alias sallyport-sandbox -file "
                        + trust.folder().resolve("ca.pem") + " " + store + "\n";
        Path called = folder.resolve("calls");
        while (!Files.exists(called) || Files.size(called) < calls.length()) {
            Thread.sleep(5); // it is done in the background
        }
        assertThat(called).hasContent(calls);
    }

    @Test
    void browsersAreToldByPolicies() throws Exception {
        String der = ONE.replaceAll("-----.*-----|\n", "");

        boot();

        for (String browser : new String[] {"chromium", "opt/chrome"}) {
            assertThat(file("etc/" + browser + "/policies/managed/sallyport.json"))
                    .hasContent("{\"CACertificates\": [\"" + der + "\"]}\n");
        }
        assertThat(file("etc/firefox/policies/policies.json"))
                .content()
                .contains("\"Install\": [\"/run/sallyport-trust/ca.pem\"]");
    }

    @Test
    void policiesOfTheGuestsOwnStay() throws Exception {
        put("etc/firefox/policies/policies.json", "{}");

        boot();

        assertThat(file("etc/firefox/policies/policies.json")).hasContent("{}");
    }

    @Test
    void aLoginShellNamesTheSystemsRootsToToolsWithRootsOfTheirOwn() throws Exception {
        Process shell =
                new ProcessBuilder("sh", "-euc", ". " + trust.folder().resolve("variables.sh") + "; env").start();
        String printed = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(shell.waitFor()).isZero();
        assertThat(printed).contains("NODE_EXTRA_CA_CERTS=/run/sallyport-trust/ca.pem\n");
        assertThat(printed).doesNotContain("sallyport_roots");
    }
}
