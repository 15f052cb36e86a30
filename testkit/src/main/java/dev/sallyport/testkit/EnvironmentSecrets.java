package dev.sallyport.testkit;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;

/** Stands in for the source {@code env} where the real one is not on the class path, for examples. */
final class EnvironmentSecrets implements SecretSourceFactory<EnvironmentSecrets.Config> {

    record Config(@JsonProperty(required = true) String var) {}

    private static final Descriptor<Config> DESCRIPTOR =
            Descriptor.of("env", Config.class, "A variable of the harness' environment.");

    @Override
    public Descriptor<Config> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public SecretSource create(Config config, SourceContext context) {
        return new SecretSource() {
            @Override
            public String name() {
                return config.var();
            }

            @Override
            public SecretValue read() throws SecretException {
                String value = context.environment(config.var());
                if (value == null || value.isEmpty()) {
                    throw new SecretException("environment variable " + config.var() + ": not set");
                }
                return SecretValue.of(value);
            }
        };
    }
}
