package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.spi.AddressResolver;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.Meters;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.testkit.VirtualTime;
import dev.sallyport.toolkit.match.CompiledRules;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a transform needs to be made where no engine runs: secrets by the name of their type, and a clock. */
final class Lent implements BuildContext {

    private final Map<String, String> secrets;
    private final Clock clock;
    private final VirtualTime time;

    private record Fixed(String name, SecretValue value) implements Secret {

        @Override
        public boolean available() {
            return true;
        }

        @Override
        public long version() {
            return 1;
        }
    }

    /** Configuration of a reference. */
    record Nothing() {}

    Lent(Map<String, String> secrets, Clock clock, VirtualTime time) {
        this.secrets = secrets;
        this.clock = clock;
        this.time = time;
    }

    /** A reference to a secret, for configurations that are made by hand. */
    static SecretRef reference(String name) {
        return new SecretRef(name, new Nothing(), "", false, "");
    }

    /** A configuration with secret sources. */
    static SigV4AuthConfig config(boolean token) {
        return new SigV4AuthConfig(
                reference("ID"),
                reference("SECRET"),
                token ? reference("TOKEN") : null,
                null,
                List.of(),
                List.of(),
                false,
                false,
                false,
                RedactResponse.OFF,
                List.of(Rule.host("*")));
    }

    @Override
    public String instanceName() {
        return "sigv4_auth";
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public ScheduledExecutorService scheduler() {
        return time.scheduler();
    }

    @Override
    public Secret secret(SecretRef reference) {
        return new Fixed(reference.type(), SecretValue.of(secrets.get(reference.type())));
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
    public RuleSet rules(List<Rule> rules) throws ConfigException {
        return CompiledRules.of(rules);
    }

    @Override
    public void warn(String pointer, String message) {
        throw new AssertionError(pointer + ": " + message);
    }

    @Override
    public Meters meters() {
        return new MeterRegistry(OpenTelemetry.noop()).of("sigv4_auth");
    }

    @Override
    public HttpCaller http() {
        throw new AssertionError("no calls");
    }

    @Override
    public AddressResolver resolver() {
        throw new AssertionError("no names");
    }

    @Override
    public Connector connector() {
        throw new AssertionError("no connections");
    }

    @Override
    public long maxBodyBytes(Direction direction) {
        return 1 << 20;
    }

    @Override
    public <T extends AutoCloseable> T own(T resource) {
        throw new AssertionError("owns nothing");
    }

    @Override
    public <T> T keep(Record key, Supplier<T> maker) {
        return maker.get();
    }
}
