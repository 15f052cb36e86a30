package dev.sallyport.it;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Source {@code test}: values that a test sets, changes and takes away. */
public final class TestSecrets implements SecretSourceFactory<TestSecrets.Config> {

    /** What a reference says. */
    public record Config(
            @JsonProperty(required = true) String name,
            @JsonProperty(defaultValue = "0s") Duration ttl) {}

    private final Map<String, String> values = new ConcurrentHashMap<>();

    public TestSecrets set(String name, String value) {
        values.put(name, value);
        return this;
    }

    public TestSecrets remove(String name) {
        values.remove(name);
        return this;
    }

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("test", Config.class, "For tests.");
    }

    @Override
    public SecretSource create(Config config, SourceContext context) {
        return new SecretSource() {
            @Override
            public String name() {
                return config.name();
            }

            @Override
            public SecretValue read() throws SecretException {
                String value = values.get(config.name());
                if (value == null) {
                    throw new SecretException("not set");
                }
                return SecretValue.of(value);
            }
        };
    }
}
