package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One file for proxy, control plane and sandboxd. Those that need root run in a network of their own, and with a {@code /run}
 * of their own.
 */
@Tag("long")
class SandboxdStartIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String STARTED = "sandboxd is started, process (\\d+)";
    private static final String READY = "(ready) after \\d+ ms";

    @TempDir
    private Path folder;

    private final List<Sallyport> running = new ArrayList<>();

    @BeforeEach
    void makeCa() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Sallyport.run(folder, "generate-ca");
    }

    /** What the proxy has started ends with it. */
    @AfterEach
    void end() {
        running.forEach(Sallyport::close);
    }

    private void write(String sandboxes) throws IOException {
        Files.writeString(folder.resolve("proxy.yaml"), """
                dns: {enabled: false}
                proxy: {http_listen: ":10080", https_listen: disabled, transparent: redirect}
                tls: {ca_cert: ca.crt, ca_key: ca.key}
                metrics: {listen: disabled}
                control:
                  listen: "127.0.0.1:8090"
                  sandboxes: %s
                """.formatted(sandboxes));
    }

    private void writeForOci(String more) throws IOException {
        write("{driver: oci, socket: s, dir: guests, sandboxd: {run_dir: run, cgroup: /sallyport-start}" + more + "}");
    }

    /** Skips the test where sandboxd cannot run. */
    private List<String> apart() {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require("unshare", "nsenter", "setsid", "ip", "nft", "mke2fs", "prlimit", "choom");
        Tools.requireOneOf("crun", "runc");
        assumeTrue(isPossible("unshare", "--net", "--mount", "true"), "needs network namespaces");
        return List.of(
                "unshare",
                "--net",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs tmpfs /run && ip link set lo up && exec \"$@\"",
                "sh");
    }

    private static boolean isPossible(String... command) {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private List<String> beside(Sallyport other) {
        return List.of("nsenter", "--net", "--mount", "--wd=" + folder, "--target=" + other.pid(), "--");
    }

    private Sallyport start(List<String> starter, String... arguments) throws IOException {
        Sallyport started = Sallyport.startBy(starter, folder, arguments);
        running.add(started);
        return started;
    }

    private static ProcessHandle process(String pid) {
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    /** Also when nobody has asked how. */
    private static boolean hasEnded(ProcessHandle process) {
        return !process.isAlive() || process.info().command().isEmpty();
    }

    /** What sandboxd says of itself; empty where nobody answers. */
    private String asked() {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(folder.resolve("s")));
            channel.write(ByteBuffer.wrap(
                    "{\"version\": 1, \"operation\": \"availability\"}\n".getBytes(StandardCharsets.UTF_8)));
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private void awaitSandboxd() {
        await("sandboxd")
                .atMost(Patience.seconds(60))
                .untilAsserted(() -> assertThat(asked()).contains("driver: oci"));
    }

    @Test
    void a_proxy_that_is_root_runs_sandboxd_again_whenever_it_ends_and_ends_it_with_itself() throws Exception {
        // given
        List<String> starter = apart();
        writeForOci("");

        // when
        Sallyport proxy = start(starter, "-config", "proxy.yaml");

        // then: it runs
        String first = proxy.awaitErr(STARTED);
        awaitSandboxd();
        // and no other one does, though the file says all that it needs
        Sallyport.Ended second =
                start(beside(proxy), "sandboxd", "-config", "proxy.yaml").await();
        assertThat(second.err()).contains("another process has locked /run/sallyport-sandboxd.lock");
        assertThat(second.code()).isEqualTo(1);
        // and it comes back
        process(first).destroyForcibly();
        String again = proxy.awaitErr("(?s)has ended with exit code 137; it is started again in 1 s.*" + STARTED);
        assertThat(again).isNotEqualTo(first);
        awaitSandboxd();
        // and it ends
        proxy.signal("TERM");
        Sallyport.Ended ended = proxy.await();
        assertThat(ended.code()).isZero();
        assertThat(ended.err()).contains("sandboxd has ended; guests go on").doesNotContain("Exception");
        assertThat(ended.out()).as("the audit log").isEmpty();
        assertThat(ProcessHandle.of(Long.parseLong(again))).isEmpty();
        assertThat(folder.resolve("s")).doesNotExist();
    }

    @Test
    void sandboxd_ends_with_a_proxy_that_is_killed() throws Exception {
        List<String> starter = apart();
        writeForOci("");
        Sallyport proxy = start(starter, "-config", "proxy.yaml");
        ProcessHandle sandboxd = process(proxy.awaitErr(STARTED));
        awaitSandboxd();

        proxy.close();

        await().atMost(Patience.usual()).until(() -> hasEnded(sandboxd));
        assertThat(folder.resolve("s")).doesNotExist();
    }

    @Test
    void one_that_runs_already_is_left_alone() throws Exception {
        // given
        List<String> starter = apart();
        writeForOci("");
        Sallyport sandboxd = start(starter, "sandboxd", "-config", "proxy.yaml");
        awaitSandboxd();

        // when
        Sallyport proxy = start(beside(sandboxd), "-config", "proxy.yaml");
        proxy.awaitErr(READY);
        proxy.signal("TERM");
        Sallyport.Ended ended = proxy.await();

        // then
        assertThat(ended.err())
                .contains("sandboxd answers at " + folder.resolve("s"))
                .doesNotContain("sandboxd is started");
        assertThat(sandboxd.lives()).isTrue();
        sandboxd.signal("TERM");
        assertThat(sandboxd.await().out()).isEqualTo("sandboxd listens at " + folder.resolve("s") + "\n");
    }

    @Test
    void where_it_is_not_to_be_started_the_log_says_what_to_run() throws Exception {
        List<String> starter = apart();
        writeForOci(", start: never");

        Sallyport proxy = start(starter, "-config", "proxy.yaml");

        proxy.awaitErr(READY);
        assertThat(proxy.err())
                .contains("nobody answers at " + folder.resolve("s")
                        + ": VMs wait for sandboxd (expected, as root: sallyport sandboxd -config "
                        + folder.resolve("proxy.yaml") + ")");
    }

    @Test
    void made_up_guests_need_no_sandboxd() throws Exception {
        write("{driver: fake, ssh: {ports: 10000-32767}}");
        Path file = folder.resolve("proxy.yaml");
        Files.writeString(
                file,
                Files.readString(file)
                        .replace(":10080\"", "127.0.0.1:0\"")
                        .replace(", transparent: redirect", "")
                        .replace("8090", "0"));
        Sallyport proxy = start(List.of(), "-config", "proxy.yaml");
        String api = proxy.awaitErr("control plane at (http://\\S+)");
        proxy.awaitErr(READY);

        String key = call(
                        api + "/v1/users",
                        "",
                        "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"a@example.com\", \"password\": \"correct horse\"}")
                .at("/api_key/token")
                .asText();
        String vm = call(
                        api + "/v1/vms",
                        key,
                        "{\"name\": \"box\", \"public_key\": \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}")
                .at("/id")
                .asText();

        await().atMost(Patience.usual())
                .until(() -> call(api + "/v1/vms/" + vm, key, "")
                        .at("/status_detail")
                        .asText()
                        .equals("ready"));
        assertThat(proxy.err()).doesNotContain("sandboxd");
        // and sandboxd says why it is not needed
        Sallyport.Ended ended = Sallyport.run(folder, "sandboxd", "-config", "proxy.yaml");
        assertThat(ended.err())
                .isEqualTo(
                        "sallyport: proxy.yaml:7:23: /control/sandboxes/driver: VMs run without sandboxd (expected: auto, oci or qemu)\n");
        assertThat(ended.code()).isEqualTo(1);
    }

    private static JsonNode call(String uri, String key, String body) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(uri)).header("Content-Type", "application/json");
        if (!key.isEmpty()) {
            request.header("Authorization", "Bearer " + key);
        }
        if (!body.isEmpty()) {
            request.POST(HttpRequest.BodyPublishers.ofString(body));
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            return JSON.readTree(client.send(request.build(), HttpResponse.BodyHandlers.ofString())
                    .body());
        }
    }
}
