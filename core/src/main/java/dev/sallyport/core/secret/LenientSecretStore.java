package dev.sallyport.core.secret;

import dev.sallyport.core.config.PluginFault;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of a configuration that is only explained. A secret that cannot or must not be read gets a stand-in
 * value, so that a configuration can be explained on a machine without its secrets.
 */
public final class LenientSecretStore extends SecretStore {

    /** Valid as text, hexadecimal and Base64, so that most decoders accept it. */
    private static final SecretValue STAND_IN =
            SecretValue.of("5a11b0a75a11b0a75a11b0a75a11b0a75a11b0a75a11b0a75a11b0a75a11b0a7");

    private final Map<String, SecretSourceFactory<?>> factories;
    private final boolean all;
    private final Consumer<String> remarks;

    /**
     * @param all whether remote sources are read too; otherwise only those whose reading is local and changes nothing
     * @param remarks receives a line for each stand-in value: the secret and the reason
     */
    public LenientSecretStore(
            Map<String, SecretSourceFactory<?>> factories,
            EngineSourceContext context,
            ScheduledExecutorService timers,
            boolean all,
            Consumer<String> remarks) {
        super(factories, context, timers);
        this.factories = Map.copyOf(factories);
        this.all = all;
        this.remarks = remarks;
    }

    @Override
    SecretSource create(SecretRef ref) throws ConfigException {
        SecretSourceFactory<?> factory = factories.get(ref.type());
        boolean read = all || (factory != null && isLocal(factory, ref));
        SecretSource source = null;
        String problem = read ? "" : "not asked, since that would leave this machine";
        try {
            source = super.create(ref);
        } catch (ConfigException e) {
            problem = String.valueOf(e.getMessage());
        }
        return new Lenient(ref, source, problem);
    }

    private static <C extends Record> boolean isLocal(SecretSourceFactory<C> factory, SecretRef ref) {
        try {
            return factory.local(factory.descriptor().configType().cast(ref.config()));
        } catch (RuntimeException | LinkageError | AssertionError e) {
            return false;
        }
    }

    /** The source has extracted the field. */
    @Override
    String jsonKey(SecretRef ref) {
        return "";
    }

    /** Fails only when interrupted. */
    private final class Lenient implements SecretSource {

        private final SecretRef ref;
        private final @Nullable SecretSource source;
        private final String obstacle;

        /** @param obstacle the reason why the source is not read; empty when it is read */
        Lenient(SecretRef ref, @Nullable SecretSource source, String obstacle) {
            this.ref = ref;
            this.source = source;
            this.obstacle = obstacle;
        }

        @Override
        public String name() {
            return source == null ? ref.type() : source.name();
        }

        @Override
        public SecretValue read() throws InterruptedException {
            SecretSource from = source;
            String problem = obstacle;
            if (from != null && problem.isEmpty()) {
                try {
                    SecretValue value = from.read();
                    return ref.jsonKey().isEmpty() ? value : JsonField.extract(value, ref.jsonKey());
                } catch (SecretException e) {
                    problem = String.valueOf(e.getMessage());
                } catch (RuntimeException | LinkageError | AssertionError e) {
                    problem = "the source failed: " + PluginFault.withoutMessage(from, e);
                }
            }
            remarks.accept("secret " + name() + " counts as there: " + problem);
            return STAND_IN;
        }

        @Override
        public void close() {
            if (source != null) {
                source.close();
            }
        }
    }
}
