package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.control.ControlConfig;
import dev.sallyport.control.ControlFactory;
import dev.sallyport.control.crypto.PasswordCost;
import dev.sallyport.core.Applied;
import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.Companion;
import dev.sallyport.core.CompanionContext;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.toolkit.match.IpRange;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A control plane with SQLite in a folder of its own. */
public final class TestControl implements AutoCloseable {

    private static final String NO_LIMITS =
            "  rate_limits: {key_per_minute: 6000000, key_burst: 1000000, address_per_minute: 6000000, poll_per_second: 100000, poll_burst: 1000000, sign_ups_per_hour: 1000000}\n";
    private static final String SANDBOXES = "  sandboxes: {driver: fake, ssh: {ports: 10000-32767}}\n";

    /** Without the price of real passwords. */
    private static final ControlFactory FACTORY = new ControlFactory(new PasswordCost(64, 1));

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final AtomicInteger ACCOUNTS = new AtomicInteger();

    private final Companion plane;
    private final HttpClient http = HttpClient.newHttpClient();

    private TestControl(Path folder, String yaml) {
        ConfigResult result = ConfigLoader.load(
                "f.yaml",
                "control:\n  listen: \"127.0.0.1:0\"\n" + NO_LIMITS + SANDBOXES + yaml,
                folder,
                Map.of(),
                PluginCatalog.of(List.of(), List.of(), List.of(FACTORY)));
        ControlConfig config = (ControlConfig)
                Objects.requireNonNull(result.draft()).companions().getFirst().config();
        try {
            plane = FACTORY.create(config, new Alone(folder));
            plane.prepare();
        } catch (ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A control plane beside a proxy that takes every policy, and nothing else. */
    private record Alone(Path folder) implements CompanionContext {

        @Override
        public @Nullable String environment(String variable) {
            return null;
        }

        @Override
        public @Nullable Path file() {
            return null;
        }

        @Override
        public boolean isGiven(String pointer) {
            return false;
        }

        @Override
        public List<String> program() {
            return List.of();
        }

        @Override
        public PipelineFeed pipelines() {
            return update -> CompletableFuture.completedFuture(new Applied(update.revision(), Map.of()));
        }

        @Override
        public AuditTaps audit() {
            return new Deaf();
        }

        @Override
        public List<IpRange> deniedRanges() {
            return List.of();
        }

        @Override
        public Set<String> transforms() {
            return Set.of();
        }

        @Override
        public OpenTelemetry telemetry() {
            return OpenTelemetry.noop();
        }
    }

    /** Of a proxy that sees nothing. */
    private static final class Deaf implements AuditTaps {

        @Override
        public void sink(AuditSink sink) {}

        @Override
        public int slots() {
            return 1_000;
        }

        @Override
        public Runnable hold() {
            return () -> {};
        }

        @Override
        public Runnable hold(String organization) {
            return hold();
        }

        @Override
        public Runnable listen(AuditListener listener) {
            return () -> {};
        }
    }

    /** One with more lines below {@code control}. */
    static TestControl with(Path folder, String yaml) {
        return new TestControl(folder, yaml);
    }

    private static final class Shared {
        private static final TestControl CONTROL = start();

        private static TestControl start() {
            try {
                TestControl control = new TestControl(Files.createTempDirectory("sallyport-ctl"), "");
                Runtime.getRuntime().addShutdownHook(new Thread(control::close));
                return control;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** That of this JVM. */
    public static TestControl shared() {
        return Shared.CONTROL;
    }

    int port() {
        return plane.addresses().getFirst().getPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port();
    }

    /** The key of a new account. */
    public String newKey() {
        String body = "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"user" + ACCOUNTS.incrementAndGet()
                + "@example.com\", \"password\": \"correct horse\"}";
        return send("POST", "/v1/users", null, body).at("/api_key/token").asText();
    }

    /** Calls the API; returns what it answers, whatever the status. */
    public JsonNode send(String method, String path, @Nullable String key, @Nullable String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url() + path))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        try {
            return JSON.readTree(http.send(request.build(), HttpResponse.BodyHandlers.ofString())
                    .body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        plane.close();
    }
}
