package dev.sallyport.core.pipeline;

import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.spi.AddressResolver;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.Meters;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The services that one instance may use until it closes. Called on the building thread, and from any thread on which
 * the instance runs.
 *
 */
final class InstanceContext implements BuildContext, StageSecrets {

    private static final Logger LOG = LoggerFactory.getLogger(InstanceContext.class);

    /**
     * The services that all instances of a proxy share.
     *
     * @param manyWorkloads whether it is made for one workload among many, so that nothing is compiled before its use
     */
    record EngineServices(
            TransformServices lent,
            SharedTransformState kept,
            PipelineSettings settings,
            TransformMaker maker,
            boolean manyWorkloads) {}

    private final String name;
    private final String pointer;
    private final EngineServices services;
    private final Set<String> placeholders;
    private final boolean restricts;
    private final List<AutoCloseable> owned = new ArrayList<>();
    private final Map<List<Rule>, LazyRules> ruleSets = new LinkedHashMap<>();
    private volatile @Nullable SecretScope secrets;

    /**
     * @param pointer JSON pointer of the config block
     * @param placeholders the placeholders that the instance may know
     * @param restricts whether its rules must hold for every spelling of a path
     */
    InstanceContext(String name, String pointer, EngineServices services, Set<String> placeholders, boolean restricts) {
        this.name = name;
        this.pointer = pointer;
        this.services = services;
        this.placeholders = placeholders;
        this.restricts = restricts;
    }

    /** All rule sets that have been compiled so far. */
    synchronized List<LazyRules> ruleSets() {
        return List.copyOf(ruleSets.values());
    }

    /** Returns everything that was lent, last first. */
    synchronized void close() {
        for (int i = owned.size() - 1; i >= 0; i--) {
            QuietClose.quietly(name, owned.get(i));
        }
        owned.clear();
    }

    @Override
    public String instanceName() {
        return name;
    }

    @Override
    public Clock clock() {
        return services.lent().clock();
    }

    @Override
    public ScheduledExecutorService scheduler() {
        return services.lent().scheduler();
    }

    @Override
    public Secret secret(SecretRef reference) throws ConfigException {
        try {
            return secrets().resolve(reference);
        } catch (ConfigException e) {
            throw new ConfigException(relative(e.pointer()), String.valueOf(e.getMessage()), e.expected()).causedBy(e);
        }
    }

    @Override
    public void onSecretChange(Runnable task) {
        secrets().onChange(secret -> task.run());
    }

    @Override
    public boolean deletedSince(long deletions, String secret) {
        SecretScope open = secrets;
        return open != null && open.deletedSince(deletions, secret);
    }

    @Override
    public @Nullable String environment(String variable) {
        return services.lent().environment().get(variable);
    }

    @Override
    public Set<String> placeholders() {
        return placeholders;
    }

    /** Plug-ins name places relative to their own config block. */
    private String relative(String place) {
        return place.startsWith(pointer) ? place.substring(pointer.length()) : "";
    }

    private synchronized SecretScope secrets() {
        SecretScope open = secrets;
        if (open == null) {
            open = own(services.lent().secrets().open());
            secrets = open;
        }
        return open;
    }

    @Override
    public synchronized RuleSet rules(List<Rule> rules) throws ConfigException {
        LazyRules known = ruleSets.get(rules);
        if (known == null) {
            known = LazyRules.of(rules, restricts, services.manyWorkloads());
            ruleSets.put(List.copyOf(rules), known);
        }
        return services.maker().rules(pointer, rules, known.use());
    }

    @Override
    public boolean mayCallOut() {
        return services.maker().mayCallOut();
    }

    @Override
    public void warn(String place, String message) {
        LOG.warn("{}{}: {}", pointer, place, message);
    }

    @Override
    public HttpCaller http() {
        return services.lent().http();
    }

    @Override
    public AddressResolver resolver() {
        return services.lent().resolver();
    }

    @Override
    public Connector connector() {
        return services.lent().connector();
    }

    @Override
    public Meters meters() {
        return services.lent().meters().of(name);
    }

    @Override
    public long maxBodyBytes(Direction direction) {
        return direction == Direction.REQUEST
                ? services.settings().caps().request()
                : services.settings().caps().response();
    }

    @Override
    public synchronized <T extends AutoCloseable> T own(T resource) {
        owned.add(resource);
        return resource;
    }

    @Override
    public <T> T keep(Record key, Supplier<T> maker) {
        T value = services.kept().acquire(key, maker);
        own(() -> services.kept().release(key));
        return value;
    }
}
