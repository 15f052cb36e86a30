package dev.sallyport.core.config;

import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.TransformFactory;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which plug-ins there are, under each of their names. Immutable. */
public interface PluginCatalog {

    /** The factory of a transform that is listed in {@code transforms}, or null. */
    @Nullable TransformFactory<?> transform(String name);

    /** The factory of a transform that has its own section, or null. */
    @Nullable TransformFactory<?> section(String name);

    /** The factory of a secret source, or null. */
    @Nullable SecretSourceFactory<?> source(String type);

    /** The factory of a top-level section that configures no transform, or null. */
    @Nullable SectionFactory<?> companion(String section);

    /** The names that {@link #transform} knows, sorted. */
    Set<String> transformNames();

    /** The names that {@link #section} knows, sorted. */
    Set<String> sectionNames();

    /** The names that {@link #companion} knows, sorted. */
    Set<String> companionNames();

    /** The names that {@link #source} knows, sorted. */
    Set<String> sourceTypes();

    /** The factories of secret sources, by their types. */
    default Map<String, SecretSourceFactory<?>> sources() {
        Map<String, SecretSourceFactory<?>> sources = new HashMap<>();
        for (String type : sourceTypes()) {
            SecretSourceFactory<?> factory = source(type);
            if (factory != null) {
                sources.put(type, factory);
            }
        }
        return sources;
    }

    /** No plug-ins. */
    static PluginCatalog empty() {
        return of(List.of(), List.of());
    }

    /** As {@link #of(Collection, Collection, Collection)}, without sections that configure no transform. */
    static PluginCatalog of(
            Collection<? extends TransformFactory<?>> transforms,
            Collection<? extends SecretSourceFactory<?>> sources) {
        return of(transforms, sources, List.of());
    }

    /**
     * These plug-ins.
     *
     * <p>Looking up a plug-in whose config record cannot be bound throws an IllegalArgumentException: it is an error of
     * the plug-in's author.
     *
     * @throws IllegalArgumentException when two have the same name, or one has the name of a section of the proxy
     */
    static PluginCatalog of(
            Collection<? extends TransformFactory<?>> transforms,
            Collection<? extends SecretSourceFactory<?>> sources,
            Collection<? extends SectionFactory<?>> companions) {
        return new FixedCatalog(transforms, sources, companions);
    }
}
