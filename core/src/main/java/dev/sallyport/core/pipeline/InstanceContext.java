package dev.sallyport.core.pipeline;

import dev.sallyport.core.meter.MeterBook;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.AddressResolver;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.Meters;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.toolkit.match.CompiledRules;
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
 * The services lent to one instance, returned when it closes. Used by the building thread, and by the instance for as
 * long as it lives.
 */
final class InstanceContext implements BuildContext {

    private static final Logger LOG = LoggerFactory.getLogger(InstanceContext.class);

    /** The services that all instances of a proxy share. */
    record EngineServices(
            Clock clock,
            ScheduledExecutorService scheduler,
            HttpCaller http,
            AddressResolver resolver,
            SecretStore secrets,
            MeterBook meters,
            SharedTransformState kept,
            PipelineSettings settings,
            Map<String, String> environment) {}

    private final String name;
    private final String pointer;
    private final EngineServices services;
    private final Set<String> placeholders;
    private final boolean restricts;
    private final List<AutoCloseable> owned = new ArrayList<>();
    private final Map<List<Rule>, CompiledRules> ruleSets = new LinkedHashMap<>();
    private @Nullable SecretScope secrets;

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
    synchronized List<CompiledRules> ruleSets() {
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
        return services.clock();
    }

    @Override
    public ScheduledExecutorService scheduler() {
        return services.scheduler();
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
    public @Nullable String environment(String variable) {
        return services.environment().get(variable);
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
            open = own(services.secrets().open());
            secrets = open;
        }
        return open;
    }

    @Override
    public synchronized RuleSet rules(List<Rule> rules) throws ConfigException {
        CompiledRules compiled = ruleSets.get(rules);
        if (compiled == null) {
            compiled = restricts ? CompiledRules.loose(rules) : CompiledRules.of(rules);
            ruleSets.put(List.copyOf(rules), compiled);
        }
        return compiled;
    }

    @Override
    public void warn(String place, String message) {
        LOG.warn("{}{}: {}", pointer, place, message);
    }

    @Override
    public HttpCaller http() {
        return services.http();
    }

    @Override
    public AddressResolver resolver() {
        return services.resolver();
    }

    @Override
    public Meters meters() {
        return services.meters().of(name);
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
