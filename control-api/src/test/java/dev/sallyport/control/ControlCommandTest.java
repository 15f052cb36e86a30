package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.ChainVerifier;
import dev.sallyport.core.audit.chain.Checkpoint;
import dev.sallyport.core.audit.chain.SignedNote;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sallyport control}: alone, and its commands, whether or not one runs. */
class ControlCommandTest {

    @TempDir
    Path folder;

    private Commands commands;

    @BeforeEach
    void prepare() {
        commands = new Commands(folder);
    }

    /** {@code --help} needs none of the options that the command needs. */
    @ParameterizedTest
    @ValueSource(strings = {"add-user", "add-key", "backup", "restore", "add-proxy", "revoke-proxy", "rotate-key"})
    void everyCommandTellsItsOptions(String command) {
        assertThat(commands.run("", command, "--help")).as(commands.err()).isZero();
        assertThat(commands.out()).contains(command, "-config");
    }

    @Test
    void anOpenMetricsListenerThatTheFileDoesNotNameIsWarnedOf() throws Exception {
        String file = commands.file("");
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> running = threads.submit(() -> commands.run("", "-config", file));
            commands.serving.await();
            commands.stop.countDown();

            assertThat(running.get()).isZero();
            assertThat(commands.err()).contains("warning: ", "/metrics/listen", "open on all interfaces");
        }
    }

    @Test
    void itRunsAloneAndIsAdministeredThroughItsSocket() throws Exception {
        String file = commands.file("  sign_up: closed\n");
        String early = commands.addUser(file, "early@example.com");
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> running = threads.submit(() -> commands.run("", "-config", file));
            commands.serving.await();
            Api api = new Api(commands.address(), early, null);

            assertThat(Files.getPosixFilePermissions(folder.resolve(".sallyport/control/admin.sock")))
                    .hasSize(2);
            assertThat(api.get("/v1/me").status()).isEqualTo(200);
            assertThat(api.withKey(commands.addUser(file, "late@example.com"))
                            .get("/v1/me")
                            .status())
                    .isEqualTo(200);
            commands.clear();
            assertThat(commands.run("", "add-key", "-config", file, "--email", "late@example.com", "--name", "ops"))
                    .isZero();
            assertThat(api.withKey(commands.out().strip().substring(5))
                            .get("/v1/me")
                            .json()
                            .at("/api_key/name")
                            .asText())
                    .isEqualTo("ops");
            JsonNode byOperator = api.withKey(commands.out().strip().substring(5))
                    .get("/v1/audit/admin?order=asc")
                    .data();
            assertThat(byOperator.findValuesAsText("action")).containsExactly("create", "create", "create");
            assertThat(byOperator.findValuesAsText("user_id")).containsOnly("null");
            assertThat(byOperator.findValuesAsText("remote_addr")).containsOnly("null");
            assertThat(commands.run(
                            "another password\n", "reset-password", "-config", file, "--email", "late@example.com"))
                    .isZero();
            assertThat(commands.run("short\n", "reset-password", "-config", file, "--email", "late@example.com"))
                    .isEqualTo(1);
            assertThat(commands.err()).contains("password: out of range");
            assertThat(commands.run("", "add-key", "-config", file, "--email", "nobody@example.com"))
                    .isEqualTo(1);
            assertThat(commands.err()).contains("no account with this e-mail address");

            commands.stop.countDown();
            assertThat(running.get()).isZero();
        }
        assertThat(Files.exists(folder.resolve(".sallyport/control/admin.sock")))
                .isFalse();
    }

    /** {@code control add-proxy --shared [--tags a,b]}, while none runs. */
    @Test
    void aProxyThatAllAccountsShareIsMadeListedAndRevoked() throws Exception {
        String file = commands.file("");
        assertThat(commands.run("", "add-proxy", "-config", file, "eu-1")).isEqualTo(2);
        commands.clear();

        assertThat(commands.run("", "add-proxy", "-config", file, "--shared", "--tags", "eu,prod", "eu-1"))
                .as(commands.err())
                .isZero();

        assertThat(commands.out()).containsPattern("proxy: prx_[0-9a-z]{26}\\R" + "token: sp_shared_[A-Za-z0-9_-]{43}");
        assertThat(commands.run("", "add-proxy", "-config", file, "--shared", "eu-1"))
                .isEqualTo(1);
        assertThat(commands.err()).contains("a shared proxy with this name exists");
        assertThat(commands.run("", "add-proxy", "-config", file, "--shared", "EU"))
                .isEqualTo(1);
        assertThat(commands.err()).contains("name: ");
        commands.clear();
        assertThat(commands.run("", "list-proxies", "-config", file)).isZero();
        assertThat(commands.out()).contains("eu-1: prx_", " new tags eu,prod");
        assertThat(commands.run("", "revoke-proxy", "-config", file, "eu-1")).isZero();
        commands.clear();
        assertThat(commands.run("", "list-proxies", "-config", file)).isZero();
        assertThat(commands.out()).isEmpty();
        assertThat(commands.run("", "revoke-proxy", "-config", file, "eu-1")).isEqualTo(1);
        assertThat(commands.err()).contains("no shared proxy with this name");
        assertThat(commands.run("", "add-proxy", "-config", file, "--shared", "eu-1"))
                .isZero();
    }

    /** Asks for the head of one of several logs of a proxy. */
    private int headOf(AuditKey log, String file) throws Exception {
        return commands.run(
                "", "proxy-head", "-config", file, "--origin", log.publicKey().name(), "eu-1");
    }

    private static Api.Reply tell(Api proxy, AuditKey key, long size, int fill, int second) {
        byte[] hash = new byte[32];
        hash[0] = (byte) fill;
        String note = new Checkpoint(
                        key.publicKey().name(),
                        size,
                        hash,
                        Instant.parse("2026-01-02T03:04:05Z").plusSeconds(second))
                .signed(key);
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("note", note);
        return proxy.post(
                "/v1/feed/heads", body.put("key", key.publicKey().toString()).toString());
    }

    private void assertCosigned(AuditKey key, long size) throws Exception {
        SignedNote note = SignedNote.parse(commands.out());
        assertThat(note.signatures()).isEqualTo(2);
        assertThat(ChainVerifier.head(commands.out(), List.of(key.publicKey())).size())
                .isEqualTo(size);
    }

    /** The heads of audit logs of a proxy that belongs to no organization: the operator has them. */
    @Test
    void theHeadOfTheAuditLogOfASharedProxyIsPrintedCosigned() throws Exception {
        String file = commands.file("");
        String[] head = {"proxy-head", "-config", file, "eu-1"};
        assertThat(commands.run("", "add-proxy", "-config", file, "--shared", "eu-1"))
                .isZero();
        String token = commands.out().lines().toList().getLast().replace("token: ", "");
        assertThat(commands.run("", head)).isEqualTo(1);
        assertThat(commands.err()).contains("no checkpoint of eu-1 is here");
        AuditKey first = AuditKey.generate("sallyport");
        AuditKey second = AuditKey.generate("sallyport");
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> running = threads.submit(() -> commands.run("", "-config", file));
            commands.serving.await();
            Api proxy = new Api(commands.address(), token, null);
            assertThat(tell(proxy, first, 7, 1, 0).status()).isEqualTo(204);
            commands.clear();
            assertThat(commands.run("", head)).isZero();
            assertCosigned(first, 7);
            assertThat(commands.err()).isEmpty();

            assertThat(tell(proxy, first, 5, 2, 1).error()).isEqualTo("409 audit_head_conflict");
            assertThat(tell(proxy, second, 3, 3, 2).status()).isEqualTo(204);
            commands.clear();
            assertThat(headOf(first, file)).isZero();
            assertCosigned(first, 7);
            assertThat(commands.err()).contains("was cut off or rewritten");
            commands.stop.countDown();
            assertThat(running.get()).isZero();
        }
        commands.clear();
        assertThat(headOf(second, file)).as("while none runs").isZero();
        assertCosigned(second, 3);
        assertThat(commands.run("", "proxy-head", "-config", file, "eu-2")).isEqualTo(1);
        assertThat(commands.err()).contains("no shared proxy with this name");
    }

    @Test
    void theStateFolderIsItsOwnersAlone() throws Exception {
        commands.addUser(commands.file(""), "a@example.com");
        Path state = folder.resolve(".sallyport/control");

        assertThat(Files.getPosixFilePermissions(state)).hasSize(3);
        assertThat(Files.getPosixFilePermissions(state.resolve("encryption.key")))
                .hasSize(2);
        if (!Database.isPostgres()) {
            assertThat(Files.getPosixFilePermissions(state.resolve("control.db")))
                    .hasSize(2);
        }
    }

    @Test
    void aStateFolderThatIsOpenToOthersIsRefused() throws Exception {
        String file = commands.file("");
        Path state = Files.createDirectories(folder.resolve(".sallyport/control"));
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxr-x---"));

        assertThat(commands.run("", "add-key", "-config", file, "--email", "a@example.com"))
                .isEqualTo(1);

        assertThat(commands.err()).contains("/control/state_dir: ", " is open to other users (expected: ", "0700");
        assertThat(state).isEmptyDirectory();
    }

    @Test
    void aCommandWithoutAControlPlaneSendsItsMailBeforeItEnds() throws Exception {
        GreenMail mail = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
        mail.start();
        try {
            commands.addUser(
                    commands.file("  mail: {smtp_host: 127.0.0.1, smtp_port: "
                            + mail.getSmtp().getPort() + ", from: gate@sallyport.test, starttls: false}\n"),
                    "a@example.com");

            assertThat(mail.getReceivedMessages()).hasSize(1);
        } finally {
            mail.stop();
        }
    }

    @Test
    void aSocketThatAKilledProcessLeftIsNoControlPlane() throws Exception {
        String file = commands.file("");
        commands.addUser(file, "a@example.com");
        Path socket = folder.resolve(".sallyport/control/admin.sock");
        try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(socket));
        }
        assertThat(Files.exists(socket)).isTrue();

        assertThat(commands.addUser(file, "b@example.com")).startsWith("sp_live_");
    }

    @Test
    void onlyItsOwnSectionsAreChecked() throws Exception {
        String file = commands.file("");
        Files.writeString(Path.of(file), Files.readString(Path.of(file)) + "tls: {ca_cert: 7}\nnonsense: 1\n");

        assertThat(commands.addUser(file, "a@example.com")).startsWith("sp_live_");
    }

    @Test
    void problemsAreToldOnOneLineEach() throws Exception {
        assertThat(commands.run("", "-config", commands.file("  sign_up: perhaps\n  retention_days: 0\n")))
                .isEqualTo(1);
        assertThat(commands.err().lines()).hasSize(2).allMatch(line -> line.startsWith("sallyport: f.yaml:"));
    }

    @Test
    void aFileWithoutTheSectionIsAProblemAndWrongUsageIs2() throws Exception {
        Path file = folder.resolve("g.yaml");
        Files.writeString(file, "metrics: {listen: disabled}\n");

        assertThat(commands.run("", "-config", file.toString())).isEqualTo(1);
        assertThat(commands.err()).contains("no section control");
        assertThat(commands.run("")).isEqualTo(2);
        assertThat(commands.run("", "unknown", "-config", file.toString())).isEqualTo(2);
    }

    @Test
    void anotherKeyThanThatOfTheDatabaseIsRefused() throws Exception {
        String file = commands.file("");
        commands.addUser(file, "a@example.com");
        Files.delete(folder.resolve(".sallyport/control/encryption.key"));

        assertThat(commands.run("", "add-key", "-config", file, "--email", "a@example.com"))
                .isEqualTo(1);
        assertThat(commands.err())
                .contains(
                        "/control/encryption/key_file: ",
                        "encryption.key cannot be used: it is not there (expected: the key");
        assertThat(folder.resolve(".sallyport/control/encryption.key"))
                .as("no other one is made in its place")
                .doesNotExist();
    }
}
