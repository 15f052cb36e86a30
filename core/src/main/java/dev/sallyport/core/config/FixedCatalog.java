package dev.sallyport.core.config;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.TransformFactory;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The catalog of three collections. */
final class FixedCatalog implements PluginCatalog {

    private final Map<String, TransformFactory<?>> transforms = new TreeMap<>();
    private final Map<String, TransformFactory<?>> sections = new TreeMap<>();
    private final Map<String, SecretSourceFactory<?>> sources = new TreeMap<>();
    private final Map<String, SectionFactory<?>> companions = new TreeMap<>();

    /** Verified on first use, so that a start does not inspect the records of unused plug-ins. */
    private final Set<Class<?>> verified = ConcurrentHashMap.newKeySet();

    FixedCatalog(
            Collection<? extends TransformFactory<?>> transforms,
            Collection<? extends SecretSourceFactory<?>> sources,
            Collection<? extends SectionFactory<?>> companions) {
        for (TransformFactory<?> factory : transforms) {
            Descriptor<?> descriptor = factory.descriptor();
            add(descriptor.isSection() ? sections : this.transforms, descriptor.names(), factory);
        }
        for (SecretSourceFactory<?> factory : sources) {
            add(this.sources, factory.descriptor().names(), factory);
        }
        companions.forEach(factory -> add(this.companions, List.of(factory.section()), factory));
        for (Map.Entry<String, SectionFactory<?>> companion : this.companions.entrySet()) {
            lowerSnakeCase(companion.getKey(), companion.getValue());
            differ(companion.getKey(), companion.getValue(), sections.get(companion.getKey()));
        }
        sections.forEach(FixedCatalog::refuseCore);
        this.companions.forEach(FixedCatalog::refuseCore);
    }

    private static void lowerSnakeCase(String section, SectionFactory<?> factory) {
        if (!section.matches("[a-z][a-z0-9_]*")) {
            throw new IllegalArgumentException("a plug-in with the section " + section + ": "
                    + factory.getClass().getName() + " (expected: lower snake case)");
        }
    }

    private static void refuseCore(String section, Object factory) {
        if (RecordShape.of(CoreSections.class).keys().contains(section)) {
            throw new IllegalArgumentException("a plug-in with the name of a section of the proxy, " + section + ": "
                    + factory.getClass().getName() + " (expected: another name)");
        }
    }

    private static <F> void add(Map<String, F> factories, List<String> names, F factory) {
        names.forEach(name -> differ(name, factory, factories.putIfAbsent(name, factory)));
    }

    private static void differ(String name, Object factory, @Nullable Object other) {
        if (other != null) {
            throw new IllegalArgumentException("two plug-ins with the name " + name + ": "
                    + other.getClass().getName() + " and " + factory.getClass().getName()
                    + " (expected: one of the two)");
        }
    }

    private <F> F verified(F factory, Class<? extends Record> configType) {
        if (!verified.contains(configType)) {
            RecordShape.verify(configType);
            verified.add(configType);
        }
        return factory;
    }

    @Override
    public @Nullable TransformFactory<?> transform(String name) {
        TransformFactory<?> factory = transforms.get(name);
        return factory == null ? null : verified(factory, factory.descriptor().configType());
    }

    @Override
    public @Nullable TransformFactory<?> section(String name) {
        TransformFactory<?> factory = sections.get(name);
        return factory == null ? null : verified(factory, factory.descriptor().configType());
    }

    @Override
    public @Nullable SecretSourceFactory<?> source(String type) {
        SecretSourceFactory<?> factory = sources.get(type);
        return factory == null ? null : verified(factory, factory.descriptor().configType());
    }

    @Override
    public @Nullable SectionFactory<?> companion(String section) {
        SectionFactory<?> factory = companions.get(section);
        if (factory != null) {
            RecordShape.verifyPlain(factory.configType());
        }
        return factory;
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
    public Set<String> companionNames() {
        return Collections.unmodifiableSet(companions.keySet());
    }

    @Override
    public Set<String> sourceTypes() {
        return Collections.unmodifiableSet(sources.keySet());
    }
}
