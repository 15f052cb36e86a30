package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Transform;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The transforms that are alive, interned by factory and configuration: entries that are equal share one instance, across
 * generations and workloads. Thread-safe; making may block.
 */
final class Instances {

    /** One live transform. */
    static final class Instance {

        private final TransformEntry<?> entry;
        private final Transform transform;
        private final Capabilities capabilities;
        private final StageContext context;
        private int users = 1;

        private Instance(
                TransformEntry<?> entry, Transform transform, Capabilities capabilities, StageContext context) {
            this.entry = entry;
            this.transform = transform;
            this.capabilities = capabilities;
            this.context = context;
        }

        Transform transform() {
            return transform;
        }

        Capabilities capabilities() {
            return capabilities;
        }

        List<CompiledRules> ruleSets() {
            return context.ruleSets();
        }
    }

    private final Map<TransformEntry<?>, Instance> alive = new HashMap<>();

    synchronized <C extends Record> Instance acquire(TransformEntry<C> entry, StageContext.Services services)
            throws ConfigException {
        Instance instance = alive.get(entry);
        if (instance != null) {
            instance.users++;
            return instance;
        }
        StageContext context = new StageContext(entry.name(), services);
        try {
            Capabilities capabilities = entry.capabilities();
            Transform transform = entry.create(context);
            instance = new Instance(entry, transform, capabilities, context);
        } catch (ConfigException | RuntimeException | Error failure) {
            context.close();
            throw failure;
        }
        alive.put(entry, instance);
        return instance;
    }

    void release(Instance instance) {
        synchronized (this) {
            if (--instance.users > 0) {
                return;
            }
            alive.remove(instance.entry);
        }
        Closing.quietly(instance.entry.name(), instance.transform);
        instance.context.close();
    }
}
