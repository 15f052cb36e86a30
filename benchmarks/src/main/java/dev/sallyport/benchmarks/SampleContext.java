package dev.sallyport.benchmarks;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.toolkit.match.CompiledRules;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a transform needs to be made where no engine runs: rules, and one value for every secret. */
final class SampleContext implements BuildContext {

    private static final SecretValue VALUE = SecretValue.of("ghp_16C7e42F292c6912E7710c838347Ae178B4a");

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
        return new Fixed("SAMPLE");
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
    public HttpCaller http() {
        throw new UnsupportedOperationException("http");
    }

    @Override
    public long maxBodyBytes(boolean request) {
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
