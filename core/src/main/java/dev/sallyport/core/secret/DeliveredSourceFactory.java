package dev.sallyport.core.secret;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;

/**
 * The source {@code control_plane}: values that come in with the policies. This one knows the words; in a running proxy
 * {@link DeliveredSecrets} has the values. Catalogs of plug-ins add it themselves: it is part of the engine, and a search
 * with another class loader would find the one of another engine.
 */
public final class DeliveredSourceFactory implements SecretSourceFactory<DeliveredRef> {

    /** The name of the source. */
    public static final String TYPE = "control_plane";

    private static final Descriptor<DeliveredRef> DESCRIPTOR =
            Descriptor.of(TYPE, DeliveredRef.class, "A value that is delivered with the policies, by its global id.");

    @Override
    public Descriptor<DeliveredRef> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(DeliveredRef config, Problems problems) {
        check(config, problems);
    }

    static void check(DeliveredRef config, Problems problems) {
        if (config.ref().isEmpty()) {
            problems.add("/ref", "an empty id", "the global id of a secret");
        }
    }

    @Override
    public SecretSource create(DeliveredRef config, SourceContext context) throws ConfigException {
        throw new ConfigException("/type", "nothing delivers secrets here", "a running proxy");
    }
}
