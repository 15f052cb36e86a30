package dev.sallyport.benchmarks;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.spi.AddressResolver;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.spi.Meters;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.toolkit.match.CompiledRules;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a transform needs to be made where no engine runs: rules, one value for every secret, and one reply to every call. */
final class SampleContext implements BuildContext {

    private final String reply;

    /** How many secrets there are: names are not shared. */
    private int secrets;

    SampleContext() {
        this("");
    }

    /** @param reply the JSON that every call gets */
    SampleContext(String reply) {
        this.reply = reply;
    }

    private static final SecretValue VALUE = SecretValue.of("ghp_16C7e42F292c6912E7710c838347Ae178B4a");

    private static final MeterRegistry METERS = new MeterRegistry(OpenTelemetry.noop());

    private record Fixed(String name) implements Secret {

        @Override
        public boolean available() {
            return true;
        }

        @Override
        public SecretValue value() {
            return VALUE;
        }

        @Override
        public long version() {
            return 1;
        }
    }

    private record Reply(String json) implements HttpReply {

        @Override
        public int status() {
            return 200;
        }

        @Override
        public Headers headers() {
            HeaderBlock headers = new HeaderBlock(1);
            headers.append("Content-Type", "application/json");
            return headers;
        }

        @Override
        public byte[] body() {
            return json.getBytes(StandardCharsets.UTF_8);
        }
    }

    @Override
    public String instanceName() {
        return "sample";
    }

    @Override
    public void warn(String pointer, String message) {
        throw new UnsupportedOperationException("warn: " + pointer + ": " + message);
    }

    @Override
    public Clock clock() {
        return Clock.systemUTC();
    }

    @Override
    public ScheduledExecutorService scheduler() {
        throw new UnsupportedOperationException("scheduler");
    }

    @Override
    public Secret secret(SecretRef reference) {
        return new Fixed("SAMPLE_" + secrets++);
    }

    @Override
    public RuleSet rules(List<Rule> rules) throws ConfigException {
        return CompiledRules.of(rules);
    }

    @Override
    public @Nullable String environment(String variable) {
        return null;
    }

    @Override
    public Set<String> placeholders() {
        return Set.of();
    }

    @Override
    public Meters meters() {
        return METERS.of("sample");
    }

    @Override
    public HttpCaller http() {
        return call -> CompletableFuture.completedFuture(new Reply(reply));
    }

    @Override
    public AddressResolver resolver() {
        throw new UnsupportedOperationException("samples know no names");
    }

    @Override
    public Connector connector() {
        throw new UnsupportedOperationException("samples have no network");
    }

    @Override
    public long maxBodyBytes(Direction direction) {
        return 1 << 20;
    }

    @Override
    public <T extends AutoCloseable> T own(T resource) {
        throw new UnsupportedOperationException("own");
    }

    @Override
    public <T> T keep(Record key, Supplier<T> maker) {
        return maker.get();
    }
}
