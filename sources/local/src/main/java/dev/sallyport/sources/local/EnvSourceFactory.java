package dev.sallyport.sources.local;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;

/** The source {@code env}: an environment variable of the proxy process, read once. */
public final class EnvSourceFactory implements SecretSourceFactory<EnvSource> {

    /** For {@link java.util.ServiceLoader}. */
    public EnvSourceFactory() {}

    @Override
    public Descriptor<EnvSource> descriptor() {
        return Descriptor.of("env", EnvSource.class, "Reads an environment variable of the proxy process.");
    }

    @Override
    public void validate(EnvSource config, Problems problems) {
        String variable = config.var();
        if (variable.isEmpty() || variable.indexOf('=') >= 0 || variable.indexOf('\0') >= 0) {
            problems.add("/var", "not the name of an environment variable", "a name such as GITHUB_TOKEN");
        }
    }

    @Override
    public boolean local(EnvSource config) {
        return true;
    }

    @Override
    public SecretSource create(EnvSource config, SourceContext context) {
        return new Variable(config.var(), context);
    }

    private record Variable(String name, SourceContext context) implements SecretSource {

        @Override
        public SecretValue read() throws SecretException {
            String value = context.environment(name);
            if (value == null) {
                throw new SecretException("environment variable " + name + " is not set");
            }
            if (value.isEmpty()) {
                throw new SecretException("environment variable " + name + " is empty");
            }
            return SecretValue.of(value);
        }
    }
}
