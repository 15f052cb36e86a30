package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestCertificates;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.X509KeyManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong before, beside and beyond the API; exit codes 2, 3 and 5. */
class FailuresTest {

    private static final String KEY = "sp_live_0123456789012345678901234567890123456789012";
    private static final String ME = "{\"user\": {\"id\": \"usr_1\", \"email\": \"ada@example.com\"}}";

    @TempDir
    Path folder;

    private Shell shell() {
        return new Shell(folder).with("SALLYPORT_API_KEY", KEY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "policy",
                "polcy list",
                "policy list",
                "policy list --kind secret",
                "policy list --kind secrets --active maybe",
                "policy get",
                "policy get name",
                "policy get secret/name",
                "policy get secrets/name --kind mcp",
                "policy create --kind secrets",
                "policy create --kind secrets -f /nonexistent",
                "policy replace --kind secrets -f /nonexistent",
                "policy delete",
                "policy delete secrets/a --wait --timeout 31s",
                "policy activate secrets/a --wait --timeout 0s",
                "policy activate secrets/a secrets/b",
                "key list --limit many",
                "key revoke",
                "whoami -o xml",
                "whoami --json -o yaml",
                "whoami --request-timeout soon",
                "whoami --ca-cert /nonexistent",
                "login --json -o name",
                "logout --unknown"
            })
    void wrongUsageEndsWith2(String line) {
        String[] arguments = line.isEmpty() ? new String[0] : line.split(" ", -1);

        Shell.Result result =
                shell().with("SALLYPORT_SERVER", "http://127.0.0.1:9").run(arguments);

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().lines()).hasSize(1);
        assertThat(result.err()).startsWith("sallyport: ").contains("(expected: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://x",
                "x",
                "http://",
                "http://ada:hunter2@127.0.0.1",
                "http://127.0.0.1?hunter2",
                "http://127.0.0.1#hunter2",
                "hunter2 x"
            })
    void whatIsNoAddressIsNotRepeated(String url) {
        Shell.Result result = shell().run("whoami", "--server", url);

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err())
                .startsWith("sallyport: --server is not the address of a control plane")
                .doesNotContain("hunter2");
    }

    @Test
    void keysAreCutOutOfMessages() {
        assertThat(shell().run("whoami", KEY).err()).contains("sp_live_***").doesNotContain(KEY);
        assertThat(shell().run("login", "--with-key=" + KEY).err()).doesNotContain(KEY);
        Shell.Result broken = new Shell(folder)
                .with("SALLYPORT_API_KEY", KEY + "\nX: y")
                .run("whoami", "--server", "http://127.0.0.1:9");
        assertThat(broken.code()).isEqualTo(4);
        assertThat(broken.err())
                .startsWith("sallyport: what is in SALLYPORT_API_KEY is not a key")
                .doesNotContain(KEY);
    }

    @Test
    void aKeyGoesToNoOtherMachineUnencrypted() {
        Shell.Result result = shell().run("whoami", "--server", "http://192.0.2.1:8090");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("unencrypted (expected: https, or --insecure-http");
    }

    @Test
    void aServerThatIsNotReachedEndsWith3() throws Exception {
        int port = Ports.unused();
        String url = "http://127.0.0.1:" + port;

        for (String[] command : new String[][] {
            {"login"},
            {"whoami", "--json"},
            {"policy", "list", "--kind", "mcp"},
            {"policy", "list", "--kind", "mcp", "--json"},
            {"policy", "delete", "mcp/a", "mcp/b"},
            {"key", "create", "--name", "x"},
            {"key", "revoke", "key_1"}
        }) {
            Shell.Result result = shell().with("SALLYPORT_SERVER", url).run(command);

            assertThat(result)
                    .isEqualTo(new Shell.Result(
                            3, "", "sallyport: cannot connect to " + url + " (expected: a control plane)\n"));
        }
    }

    @Test
    void aServerThatDoesNotAnswerEndsWith3() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            Shell.Result result = shell().run(
                            "whoami",
                            "--request-timeout",
                            "1s",
                            "--server",
                            "http://127.0.0.1:" + silent.getLocalPort());

            assertThat(result.code()).isEqualTo(3);
            assertThat(result.err())
                    .startsWith("sallyport: no answer from http://127.0.0.1:")
                    .endsWith(" within 1 s\n");
        }
    }

    @Test
    void whatIsNoControlPlaneEndsWith3() throws Exception {
        try (StubServer server = new StubServer()
                .answer(200, "<html>")
                .answer(404, "{\"message\": \"no\"}")
                .answer(502, "<html>")
                .answer(200, "")) {
            for (int status : new int[] {200, 404, 502, 200}) {
                Shell.Result result = shell().run("whoami", "--json", "--server", server.url());

                assertThat(result.code()).isEqualTo(3);
                assertThat(result.out()).isEmpty();
                assertThat(result.err()).startsWith("sallyport: " + server.url() + " answered " + status + " without ");
            }
        }
    }

    @Test
    void aRedirectIsNotFollowed() throws Exception {
        try (StubServer other = new StubServer();
                StubServer server = new StubServer().answer(302, "", "Location", other.url())) {
            assertThat(shell().run("whoami", "--server", server.url()).code()).isEqualTo(3);
            assertThat(other.requests()).isEmpty();
        }
    }

    @Test
    void aServerThatAsksForPatienceIsAskedAgain() throws Exception {
        String error = "{\"error\": {\"code\": \"overloaded\", \"message\": \"later\"}}";
        Shell shell = shell();
        try (StubServer server = new StubServer()
                .answer(503, error, "Retry-After", "2")
                .answer(429, error, "Retry-After", "3")
                .answer(200, ME)) {
            assertThat(shell.run("whoami", "--server", server.url()).code()).isZero();
            assertThat(shell.pauses()).extracting(Duration::toSeconds).containsExactly(2L, 3L);
        }
    }

    @Test
    void aServerThatAsksForTooMuchPatienceHasRefused() throws Exception {
        String error = "{\"error\": {\"code\": \"rate_limited\", \"message\": \"later\"}}";
        try (StubServer server = new StubServer().answer(429, error, "Retry-After", "3600")) {
            Shell.Result result = shell().run("whoami", "--server", server.url());

            assertThat(result).isEqualTo(new Shell.Result(1, "", "sallyport: refused with 429 rate_limited: later\n"));
        }
    }

    @Test
    void aCreationIsSentAgainWithItsKeyWhenTheConnectionBreaks() throws Exception {
        try (StubServer server = new StubServer()
                .broken()
                .answer(409, "{\"error\": {\"code\": \"idempotency_in_progress\", \"message\": \"busy\"}}")
                .answer(201, "{\"id\": \"key_1\", \"name\": \"x\", \"token\": \"" + KEY + "\"}")) {
            Shell.Result result = shell().run("key", "create", "--name", "x", "--server", server.url());

            assertThat(result.code()).isZero();
            assertThat(result.out()).isEqualTo(KEY + "\n");
            assertThat(server.requests()).hasSize(3);
            assertThat(server.requests())
                    .extracting(StubServer.Request::idempotencyKey)
                    .doesNotContain("")
                    .containsOnly(server.requests().getFirst().idempotencyKey());
        }
    }

    @Test
    void aRevocationIsNotSentAgainWhenTheConnectionBreaks() throws Exception {
        try (StubServer server = new StubServer()) {
            Shell.Result result =
                    shell().run("key", "revoke", "key_01m8937myf9zqsbe9jjc56wrb9", "--server", server.url());

            assertThat(result.code()).isEqualTo(3);
            assertThat(result.err()).contains(" broke before it answered");
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void waitingAsksTheServerAndBelievesItAlone() throws Exception {
        String policy = "{\"data\": {\"id\": \"mpol_1\", \"name\": \"a\", \"active\": true}}";
        Path file = Files.writeString(folder.resolve("p.yaml"), "name: a\npriority: 1\n");
        String[] create = {"policy", "create", "--kind", "mcp", "-f", file.toString(), "--wait", "--timeout", "7s"};
        try (StubServer server = new StubServer()
                .answer(201, policy, "Sallyport-Revision", "4", "Sallyport-Applied", "true")
                .answer(201, policy, "Sallyport-Revision", "5", "Sallyport-Applied", "false")
                .answer(201, policy, "Sallyport-Revision", "6")) {
            Shell shell = shell().with("SALLYPORT_SERVER", server.url());

            assertThat(shell.run(create)).isEqualTo(new Shell.Result(0, "mcp/a created, and applied\n", ""));
            Shell.Result late = shell.run(create);
            Shell.Result unknown = shell.run(create);

            assertThat(late.code()).isEqualTo(5);
            assertThat(late.out()).isEqualTo("mcp/a created\n");
            assertThat(late.err())
                    .startsWith("sallyport: the change was made (revision 5), but not everything that it concerns has "
                            + "applied it within 7 s");
            assertThat(unknown.code()).isEqualTo(5);
            assertThat(unknown.err())
                    .startsWith("sallyport: the change was made (revision 6), but the server does not tell whether");
            assertThat(server.requests())
                    .allSatisfy(request -> assertThat(request.line())
                            .startsWith("POST /v1/policies/mcp?")
                            .contains("wait=applied")
                            .contains("timeout=7s"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "env set A one",
                "env delete A",
                "key create --name k",
                "key revoke key_00000000000000000000000000",
                "proxy add p",
                "proxy remove prx_00000000000000000000000000",
                "vm stop vm_00000000000000000000000000",
                "vm delete vm_00000000000000000000000000 --force",
                "snapshot delete snap_00000000000000000000000000",
                "agent delete agt_00000000000000000000000000",
                "workload delete wl_00000000000000000000000000"
            })
    void everyChangeCanWait(String line) throws Exception {
        try (StubServer server = new StubServer()) {
            server.answer(200, "{\"id\": \"x\", \"name\": \"a\", \"key\": \"A\"}", "Sallyport-Applied", "false");

            Shell.Result result =
                    shell().with("SALLYPORT_SERVER", server.url()).run((line + " --wait --timeout 3s").split(" ", -1));

            assertThat(result.code()).as(result.err()).isEqualTo(5);
            assertThat(result.err()).contains("not everything that it concerns has applied it within 3 s");
            assertThat(result.out() + result.err()).doesNotContain("and applied");
            assertThat(server.requests().getLast().line())
                    .contains("wait=applied")
                    .contains("timeout=3s");
        }
        assertThat(shell().run((line + " --wait --timeout 31s").split(" ", -1)).code())
                .isEqualTo(2);
    }

    @Test
    void everyChangeOfAPolicyCanWait() throws Exception {
        String policy = "{\"data\": {\"id\": \"mpol_1\", \"name\": \"a\", \"active\": true}}";
        Path file = Files.writeString(folder.resolve("p.yaml"), "name: a\npriority: 1\n");
        for (String line : new String[] {
            "replace mpol_1 -f " + file + " --wait",
            "activate mpol_1 --wait --json",
            "deactivate mpol_1 --wait",
            "delete mpol_1 --wait"
        }) {
            try (StubServer server = new StubServer()) {
                if (!line.startsWith("delete")) {
                    server.answer(200, policy, "ETag", "\"1\"");
                }
                server.answer(200, policy, "Sallyport-Applied", "false");

                Shell.Result result =
                        shell().with("SALLYPORT_SERVER", server.url()).run(("policy " + line).split(" ", -1));

                assertThat(result.code()).as(line).isEqualTo(5);
                assertThat(server.requests().getLast().line())
                        .contains("wait=applied")
                        .contains("timeout=5s");
            }
        }
    }

    private static String pem(X509KeyManager keys) {
        String alias = keys.getServerAliases("EC", null)[0];
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder()
                        .encodeToString(keys.getPrivateKey(alias).getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }

    @Test
    @Tag("long")
    void aServerWithACertificateOfItsOwnIsTrustedWhenItIsNamedAndThenRemembered() throws Exception {
        Path state = Files.createDirectory(folder.resolve("state"));
        TestCertificates certificates = new TestCertificates(folder);
        Files.copy(certificates.originPem, state.resolve("cert.pem"));
        Files.writeString(state.resolve("key.pem"), pem((X509KeyManager)
                certificates.originKeys.getKeyManagers()[0]));
        try (TestControl plane = TestControl.with(state, "  tls: {cert: cert.pem, key: key.pem}\n");
                TestControl plain = TestControl.with(Files.createDirectory(folder.resolve("plain")), "")) {
            String url = "https://localhost:" + plane.port();
            Shell stranger = shell().with("SALLYPORT_SERVER", url);

            Shell.Result untrusted = stranger.run("whoami");
            Shell.Result trusted = stranger.run("whoami", "--ca-cert", certificates.originPem.toString());
            Shell.Result noTls = stranger.run("whoami", "--server", "https://127.0.0.1:" + plain.port());

            assertThat(untrusted.code()).isEqualTo(3);
            assertThat(untrusted.err())
                    .isEqualTo("sallyport: the certificate of " + url
                            + " is not trusted (expected: --ca-cert FILE with its authority)\n");
            assertThat(trusted.code()).isEqualTo(4); // it was asked, and does not know the key
            assertThat(noTls.code()).isEqualTo(3);
            assertThat(noTls.err()).startsWith("sallyport: no TLS with https://127.0.0.1:");
            assertThat(stranger.run(
                                    "whoami",
                                    "--ca-cert",
                                    state.resolve("key.pem").toString())
                            .code())
                    .isEqualTo(2);
        }
    }

    @Test
    void aFileOfContextsThatOthersCanReadIsWarnedOf() throws Exception {
        try (StubServer server = new StubServer().answer(200, ME).answer(200, ME)) {
            Shell shell = new Shell(folder).input(KEY);
            shell.run("login", "--with-key", "--server", server.url());
            Path file = folder.resolve("sallyport/ctl.json");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

            Shell.Result result = shell.run("whoami");

            assertThat(result.code()).isZero();
            assertThat(result.err()).startsWith("sallyport: warning: " + file + " can be read by others");
        }
    }

    @Test
    void aFileOfContextsThatIsBrokenIsNotQuoted() throws Exception {
        Files.createDirectories(folder.resolve("sallyport"));
        Files.writeString(folder.resolve("sallyport/ctl.json"), "{\"contexts\": {\"x\": {\"key\": " + KEY + "}}}");

        Shell.Result result = new Shell(folder).run("whoami");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("ctl.json: cannot be read").doesNotContain("0123456789");
    }

    @Test
    void whatAServerSaysCannotSteerTheTerminal() throws Exception {
        try (StubServer server = new StubServer()
                .answer(200, "{\"user\": {\"email\": \"\\u001b[2Jada\"}}")
                .answer(409, "{\"error\": {\"code\": \"x\", \"message\": \"\\u001b[2J\"}}")) {
            assertThat(shell().run("whoami", "--server", server.url()).out())
                    .contains("\\u001b[2Jada")
                    .doesNotContain("\u001b");
            assertThat(shell().run("whoami", "--server", server.url()).err()).doesNotContain("\u001b");
        }
    }
}
