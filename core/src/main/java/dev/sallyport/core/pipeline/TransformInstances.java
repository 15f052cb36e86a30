package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.config.RulePlaces;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Transform;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The live transforms, interned by factory and configuration: equal entries share one instance, across generations and
 * workloads. Thread-safe; making an instance may block.
 */
final class TransformInstances {

    /** The identity of an instance: its entry, and what it was told of limits and of other entries. */
    private record Key(TransformEntry<?> entry, BodyCaps caps, Set<String> placeholders) {}

    /** One live transform. */
    static final class Instance {

        private final Key key;
        private final Transform transform;
        private final Capabilities capabilities;
        private final InstanceContext context;
        private final TransformMaker maker;
        private final List<LazyRules> ruleSets;
        private final @Nullable RuleSet scope;
        private final @Nullable RuleSet relays;
        private int users = 1;

        /** Null until somebody asks. Two threads may both make them. */
        private volatile @Nullable RulePlaces places;

        private Instance(
                Key key, Transform transform, Capabilities capabilities, InstanceContext context, TransformMaker maker)
                throws ConfigException {
            this.key = key;
            this.transform = transform;
            this.capabilities = capabilities;
            this.context = context;
            this.maker = maker;
            this.ruleSets = context.ruleSets();
            this.scope = rules(capabilities.scope());
            this.relays = rules(capabilities.relays());
        }

        /** Null for no rules. */
        private @Nullable RuleSet rules(List<Rule> rules) throws ConfigException {
            return rules.isEmpty() ? null : context.rules(rules);
        }

        Transform transform() {
            return transform;
        }

        Capabilities capabilities() {
            return capabilities;
        }

        /** The rule sets that the transform had compiled while it was made. */
        List<LazyRules> ruleSets() {
            return ruleSets;
        }

        /** Those, that of the scope and of what it relays, and what the transform has had compiled since it was made. */
        List<LazyRules> allRules() {
            return context.ruleSets();
        }

        /** Its secrets. */
        StageSecrets secrets() {
            return context;
        }

        /** The JSON pointer of a rule, relative to the configuration; null when it is not known. */
        @Nullable String placeOf(Rule rule) {
            RulePlaces known = places;
            if (known == null) {
                known = RulePlaces.in(key.entry().config());
                places = known;
            }
            return known.of(rule);
        }

        /** Where the transform acts, or null for everywhere. */
        @Nullable RuleSet scope() {
            return scope;
        }

        /** Where other TCP than HTTP and TLS is relayed, or null for nowhere. */
        @Nullable RuleSet relays() {
            return relays;
        }
    }

    /** Drops compiled rules that have not been used since this was last called. */
    void dropIdle() {
        List<Instance> all;
        synchronized (this) {
            all = List.copyOf(alive.values());
        }
        all.forEach(instance -> instance.allRules().forEach(LazyRules::dropIdle));
    }

    /** For instances that are made beforehand, whatever the caps. */
    private static final BodyCaps NONE = new BodyCaps(0, 0);

    private final Map<Key, Instance> alive = new HashMap<>();

    /** @param placeholders the placeholders of the whole pipeline, for transforms that disclose content */
    synchronized <C extends Record> Instance acquire(
            TransformEntry<C> entry, InstanceContext.EngineServices services, Set<String> placeholders)
            throws ConfigException {
        Capabilities capabilities = entry.capabilities();
        Set<String> told = capabilities.effects().contains(Effect.DISCLOSES_CONTENT) ? placeholders : Set.of();
        PipelineSettings settings = services.settings();
        Key key = entry.config() instanceof PrebuiltConfig
                ? new Key(entry, NONE, Set.of())
                : new Key(entry, settings.caps(), told);
        Instance instance = alive.get(key);
        if (instance != null) {
            instance.users++;
            return instance;
        }
        InstanceContext context =
                new InstanceContext(entry.name(), entry.pointer(), services, told, capabilities.restricts());
        Transform transform = null;
        try {
            transform = services.maker().make(entry, context);
            instance = new Instance(key, transform, capabilities, context, services.maker());
        } catch (ConfigException | RuntimeException | Error failure) {
            if (transform != null) {
                services.maker().unmake(entry, transform);
            }
            context.close();
            throw failure;
        }
        alive.put(key, instance);
        return instance;
    }

    void release(Instance instance) {
        synchronized (this) {
            if (--instance.users > 0) {
                return;
            }
            alive.remove(instance.key);
        }
        instance.maker.unmake(instance.key.entry(), instance.transform);
        instance.context.close();
    }
}
