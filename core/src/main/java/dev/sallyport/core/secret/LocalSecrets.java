package dev.sallyport.core.secret;

import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.PluginFault;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import java.io.IOException;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reads, for checks before the start, the secrets whose sources declare that reading is local and changes nothing.
 * That one cannot be read is a doubt only: a check may run where the secrets are not. Blocks.
 */
public final class LocalSecrets implements AutoCloseable {

    private final PluginCatalog catalog;
    private final EngineSourceContext context;

    /** @param environment the environment of the proxy */
    public LocalSecrets(PluginCatalog catalog, Map<String, String> environment) {
        this.catalog = catalog;
        this.context = new EngineSourceContext(environment, Clock.systemUTC(), LocalSecrets::nobody);
    }

    private static CompletionStage<HttpReply> nobody(HttpCall call) {
        return CompletableFuture.failedFuture(new IOException("nothing is called for a check"));
    }

    /** The warning about a value, which does not quote it; null for none, or when the value is not read. */
    public @Nullable ConfigException doubt(SecretRef ref) {
        SecretSourceFactory<?> factory = catalog.source(ref.type());
        return factory == null ? null : doubt(factory, ref, context.lentTo(ref.type()));
    }

    private static <C extends Record> @Nullable ConfigException doubt(
            SecretSourceFactory<C> factory, SecretRef ref, SourceContext context) {
        C config = factory.descriptor().configType().cast(ref.config());
        try {
            if (!factory.local(config)) {
                return null;
            }
            SecretSource source = factory.create(config, context);
            try {
                SecretValue whole = source.read();
                SecretValue value = ref.jsonKey().isEmpty() ? whole : JsonField.extract(whole, ref.jsonKey());
                String message = "secret " + source.name() + ": " + TrailingBlanks.MESSAGE;
                return TrailingBlanks.around(value)
                        ? new ConfigException(ref.pointer(), message, TrailingBlanks.EXPECTED)
                        : null;
            } catch (SecretException e) {
                return unread(ref, SecretEntry.named(source.name(), e));
            } finally {
                source.close();
            }
        } catch (ConfigException e) {
            return unread(ref, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            String fault = PluginFault.withoutMessage(factory, e);
            return new ConfigException(ref.pointer(), "the source failed when it was read: " + fault, "");
        }
    }

    private static @Nullable ConfigException unread(SecretRef ref, String why) {
        return ref.optional()
                ? null
                : new ConfigException(
                        ref.pointer(),
                        "it cannot be read here: " + why,
                        "a value when the proxy starts, which it does not without");
    }

    @Override
    public void close() {
        context.close();
    }
}
