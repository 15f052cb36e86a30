package dev.sallyport.core.config;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.TransformFactory;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The catalog of two collections. */
final class FixedCatalog implements PluginCatalog {

    private final Map<String, TransformFactory<?>> transforms = new TreeMap<>();
    private final Map<String, TransformFactory<?>> sections = new TreeMap<>();
    private final Map<String, SecretSourceFactory<?>> sources = new TreeMap<>();

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
        new Shapes().verify(descriptor.configType());
        F other = factories.putIfAbsent(descriptor.name(), factory);
        if (other != null) {
            throw new IllegalArgumentException("two plug-ins with the name " + descriptor.name() + ": "
                    + other.getClass().getName() + " and " + factory.getClass().getName());
        }
    }

    @Override
    public @Nullable TransformFactory<?> transform(String name) {
        return transforms.get(name);
    }

    @Override
    public @Nullable TransformFactory<?> section(String name) {
        return sections.get(name);
    }

    @Override
    public @Nullable SecretSourceFactory<?> source(String type) {
        return sources.get(type);
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
