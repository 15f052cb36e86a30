package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.control.ControlFactory;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.secret.DeliveredSourceFactory;
import dev.sallyport.feed.FeedFactory;
import dev.sallyport.mcp.McpFactory;
import dev.sallyport.sources.local.EnvSourceFactory;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.transforms.allowlist.AllowlistFactory;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A control plane for proxies elsewhere, with an idle proxy of its own. It may end and come back; in a process of its own, it
 * is killed instead.
 */
final class ControlSite implements AutoCloseable {

    /** The variable that holds the token of a proxy. */
    static final String TOKEN = "CONTROL_TOKEN";

    private static final long START_SECONDS = 60;
    private static final String LIMITS = "limits";
    private static final String DENIED = "denied";

    /** Limits of requests so high that no test reaches them; for section {@code control}. */
    static final String NO_LIMITS =
            "rate_limits: {key_per_minute: 6000000, key_burst: 1000000, address_per_minute: 6000000, sign_ups_per_hour: 1000000}";

    private final Path folder;
    private final int port;
    private final boolean apart;
    private @Nullable EgressProxy running;
    private @Nullable Process process;

    ControlSite(Path folder) throws Exception {
        this(folder, false);
    }

    private ControlSite(Path folder, boolean apart) throws Exception {
        this.folder = Files.createDirectories(folder);
        this.port = Ports.unused();
        this.apart = apart;
        start();
    }

    /** One of which {@link #stop} is a kill -9. */
    static ControlSite inAProcess(Path folder) throws Exception {
        return new ControlSite(folder, true);
    }

    /** As above, with the limits of requests so high that no test reaches them. */
    static ControlSite inAProcessWithoutLimits(Path folder) throws Exception {
        Files.writeString(Files.createDirectories(folder).resolve(LIMITS), NO_LIMITS);
        return inAProcess(folder);
    }

    /** One whose own proxy does not dial these ranges, a list of YAML, in place of those of its defaults. */
    static ControlSite denying(Path folder, String ranges) throws Exception {
        Files.writeString(Files.createDirectories(folder).resolve(DENIED), ", upstream_deny_cidrs: " + ranges);
        return new ControlSite(folder);
    }

    /** The number of its process. */
    long pid() {
        return Objects.requireNonNull(process).pid();
    }

    /** The process: folder and port. It runs until it is killed. */
    public static void main(String[] args) throws Exception {
        proxy(Path.of(args[0]), Integer.parseInt(args[1])).start();
        new CountDownLatch(1).await();
    }

    /** A proxy that has been made. */
    record Made(String path, String token) {}

    static PluginCatalog catalog() {
        return PluginCatalog.of(
                List.of(new AllowlistFactory(), new SecretsFactory(), new McpFactory()),
                List.of(new EnvSourceFactory(), new DeliveredSourceFactory()),
                List.of(new ControlFactory(ControlApi.PASSWORDS), new FeedFactory()));
    }

    /** Comes back with what it had. */
    void start() throws Exception {
        if (apart) {
            startProcess();
            return;
        }
        EgressProxy made = proxy(folder, port);
        made.start();
        running = made;
    }

    private static EgressProxy proxy(Path folder, int port) throws IOException {
        Path limits = folder.resolve(LIMITS);
        Path denied = folder.resolve(DENIED);
        return EgressProxy.builder()
                .catalog(catalog())
                .configText(
                        "control.yaml",
                        "dns: {enabled: false}\nmetrics: {listen: disabled}\n"
                                + "proxy: {http_listen: 127.0.0.1:0, https_listen: disabled, tunnel_listen: disabled"
                                + (Files.exists(denied) ? Files.readString(denied) : "") + "}\n"
                                + "tls: {mode: sni-only}\n" + "control: {listen: 127.0.0.1:" + port + ", state_dir: "
                                + folder.resolve("state")
                                + (Files.exists(limits) ? ", " + Files.readString(limits) : "") + "}\n")
                .build();
    }

    private void startProcess() throws Exception {
        Path log = folder.resolve("control.log");
        Process started = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ControlSite.class.getName(),
                        folder.toString(),
                        String.valueOf(port)))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        process = started;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!listens()) {
            if (System.nanoTime() > end || !started.isAlive()) {
                throw new IllegalStateException("it does not start: " + Files.readString(log));
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false; // not yet
        }
    }

    void stop() throws IOException {
        Process killed = process;
        process = null;
        if (killed != null) {
            killed.destroyForcibly().onExit().join();
        }
        EgressProxy proxy = running;
        running = null;
        if (proxy != null) {
            proxy.close();
        }
    }

    /** A new account. */
    ControlApi signUp() throws Exception {
        return ControlApi.signUp(port);
    }

    /** Makes a proxy of an account. */
    static Made proxy(ControlApi api, String name) throws Exception {
        JsonNode made = api.send("POST", "/v1/proxies", "{\"name\": \"" + name + "\", \"tags\": [\"eu\"]}", 201)
                .path("data");
        return new Made(
                "/v1/proxies/" + made.path("id").asText(), made.path("token").asText());
    }

    /** Makes a proxy that all accounts share; returns its token. */
    String addShared(String name, String... tags) throws IOException {
        return administer("add-proxy", Map.of("name", name, "tags", List.of(tags)))
                .replaceAll("(?s).*token: ([A-Za-z0-9_-]+).*", "$1");
    }

    /** What a command of the operator is answered, through the socket of its folder. */
    String administer(String command, Map<String, ?> arguments) throws IOException {
        ObjectMapper json = new ObjectMapper();
        try (SocketChannel channel = SocketChannel.open(
                UnixDomainSocketAddress.of(folder.resolve("state").resolve("admin.sock")))) {
            channel.write(ByteBuffer.wrap(json.writeValueAsBytes(Map.of("command", command, "arguments", arguments))));
            channel.shutdownOutput();
            JsonNode outcome = json.readTree(Channels.newInputStream(channel).readAllBytes());
            assertThat(outcome.path("good").asBoolean()).as(outcome.toString()).isTrue();
            StringBuilder lines = new StringBuilder();
            outcome.path("lines").forEach(line -> lines.append(line.asText()).append('\n'));
            return lines.toString();
        }
    }

    int port() {
        return port;
    }

    /** The section of a proxy that follows it, with more lines. */
    String section(String... lines) {
        return section(port, lines);
    }

    /** The section of a proxy that follows it through a port of a relay, with more lines. */
    static String section(int through, String... lines) {
        StringBuilder section = new StringBuilder(
                "control_plane:\n  url: http://127.0.0.1:" + through + "\n  token_env: " + TOKEN + "\n");
        for (String line : lines) {
            section.append("  ").append(line).append('\n');
        }
        return section.toString();
    }

    @Override
    public void close() throws IOException {
        stop();
    }
}
