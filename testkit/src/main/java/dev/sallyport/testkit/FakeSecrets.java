package dev.sallyport.testkit;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The secret source {@code fake}: values that a test sets, {@code {type: fake, name: TOKEN}}. A name without a value
 * cannot be read. Values that change are noticed when {@link TransformHarness#rotate} says so. Thread-safe.
 */
public final class FakeSecrets implements SecretSourceFactory<FakeSecrets.Config> {

    /**
     * Configuration of the source.
     *
     * @param name which value
     * @param ttl when it is read again, in the harness' virtual time
     */
    public record Config(
            @JsonProperty(required = true) @JsonPropertyDescription("Which value.")
            String name,

            @JsonProperty(defaultValue = "1h") @JsonPropertyDescription("When it is read again.")
            Duration ttl) {}

    private static final Descriptor<Config> DESCRIPTOR =
            Descriptor.of("fake", Config.class, "Values that a test sets.");

    private final Map<String, SecretValue> values = new ConcurrentHashMap<>();

    /** Sets a value. */
    public FakeSecrets set(String name, String value) {
        values.put(name, SecretValue.of(value));
        return this;
    }

    /** Removes a value, so that reading it fails. */
    public FakeSecrets remove(String name) {
        values.remove(name);
        return this;
    }

    @Override
    public Descriptor<Config> descriptor() {
        return DESCRIPTOR;
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
                SecretValue value = values.get(config.name());
                if (value == null) {
                    throw new SecretException("fake secret " + config.name() + ": no value");
                }
                return value;
            }
        };
    }

    /** Names only. */
    @Override
    public String toString() {
        return "FakeSecrets" + values.keySet();
    }
}
