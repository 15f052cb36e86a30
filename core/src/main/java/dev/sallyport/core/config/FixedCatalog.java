package dev.sallyport.core.config;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.TransformFactory;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The catalog of two collections. */
final class FixedCatalog implements PluginCatalog {

    private final Map<String, TransformFactory<?>> transforms = new TreeMap<>();
    private final Map<String, TransformFactory<?>> sections = new TreeMap<>();
    private final Map<String, SecretSourceFactory<?>> sources = new TreeMap<>();

    /** Verified when they are asked for, so that a start does not look at the records of plug-ins that it does not use. */
    private final Set<Class<?>> verified = ConcurrentHashMap.newKeySet();

    FixedCatalog(
            Collection<? extends TransformFactory<?>> transforms,
            Collection<? extends SecretSourceFactory<?>> sources) {
        for (TransformFactory<?> factory : transforms) {
            Descriptor<?> descriptor = factory.descriptor();
            add(descriptor.isSection() ? sections : this.transforms, descriptor, factory);
        }
        for (SecretSourceFactory<?> factory : sources) {
            add(this.sources, factory.descriptor(), factory);
        }
    }

    private static <F> void add(Map<String, F> factories, Descriptor<?> descriptor, F factory) {
        F other = factories.putIfAbsent(descriptor.name(), factory);
        if (other != null) {
            throw new IllegalArgumentException("two plug-ins with the name " + descriptor.name() + ": "
                    + other.getClass().getName() + " and " + factory.getClass().getName());
        }
    }

    private <F> F verified(F factory, Descriptor<?> descriptor) {
        if (!verified.contains(descriptor.configType())) {
            RecordShape.verify(descriptor.configType());
            verified.add(descriptor.configType());
        }
        return factory;
    }

    @Override
    public @Nullable TransformFactory<?> transform(String name) {
        TransformFactory<?> factory = transforms.get(name);
        return factory == null ? null : verified(factory, factory.descriptor());
    }

    @Override
    public @Nullable TransformFactory<?> section(String name) {
        TransformFactory<?> factory = sections.get(name);
        return factory == null ? null : verified(factory, factory.descriptor());
    }

    @Override
    public @Nullable SecretSourceFactory<?> source(String type) {
        SecretSourceFactory<?> factory = sources.get(type);
        return factory == null ? null : verified(factory, factory.descriptor());
    }

    @Override
    public Set<String> transformNames() {
        return Collections.unmodifiableSet(transforms.keySet());
    }

    @Override
    public Set<String> sectionNames() {
        return Collections.unmodifiableSet(sections.keySet());
    }

    @Override
    public Set<String> sourceTypes() {
        return Collections.unmodifiableSet(sources.keySet());
    }
}
