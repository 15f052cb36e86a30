package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.pipeline.RedactionPreferences;
import dev.sallyport.core.redact.RedactionPreference;
import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.SecretRef;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a reload replaces atomically: the pipeline, the users of the proxy, and the redaction settings. One thread at a
 * time prepares and swaps; any thread may ask for the number.
 */
final class PolicyInForce {

    private final SecretStore secrets;
    private final ProxyAuthState access;
    private final GenerationBuilder generations;
    private final Pipeline pipeline;
    private final RedactionRegistry redactions;
    private volatile int generation;

    /** Prepared and not yet in force: to be passed to {@link #swap}. */
    record Prepared(
            Generation generation,
            ProxyAuthState.Prepared users,
            Set<String> secrets,
            List<RedactionPreference> redacting) {}

    PolicyInForce(
            SecretStore secrets,
            ProxyAuthState access,
            GenerationBuilder generations,
            Pipeline pipeline,
            RedactionRegistry redactions) {
        this.secrets = secrets;
        this.access = access;
        this.generations = generations;
        this.pipeline = pipeline;
        this.redactions = redactions;
    }

    /**
     * Prepares everything, so that all problems are reported at once; returns null when there are some. Blocks.
     *
     * @param stale receives the secrets that could not be read again and keep their values
     */
    @Nullable Prepared prepare(
            ConfigResult.Loaded loaded,
            List<TransformEntry<?>> given,
            List<ConfigProblem> problems,
            Consumer<String> stale) {
        ProxyConfig from = loaded.config();
        ProxyAuthState.Prepared users;
        Generation built;
        List<TransformEntry<?>> entries = Preflight.entries(from, given);
        Map<SecretRef, String> named;
        try (SecretScope reader = secrets.renew(stale)) {
            users = access.prepare(from.proxy().auth(), reader, loaded.places(), problems::add);
            built = generations.build(entries, ConfigMapper.pipeline(from.proxy()), reader, problems::add);
            named = reader.names();
        }
        if (users != null && built != null) {
            return new Prepared(built, users, Set.copyOf(named.values()), RedactionPreferences.of(entries, named));
        }
        if (users != null) {
            users.close();
        }
        if (built != null) {
            pipeline.discard(built);
        }
        return null;
    }

    /** Puts the prepared policy in force atomically and retires the previous one. */
    void swap(Prepared next) {
        access.swap(next.users());
        pipeline.swap(next.generation());
        generation = next.generation().number();
        redactions.retain(Set.copyOf(next.generation().names()), next.secrets(), next.redacting());
    }

    /** The number of the generation in force; 0 before the first. */
    int generation() {
        return generation;
    }
}
