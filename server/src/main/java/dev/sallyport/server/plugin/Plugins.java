package dev.sallyport.server.plugin;

import dev.sallyport.core.CompanionFactory;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.PluginFault;
import dev.sallyport.core.secret.DeliveredSourceFactory;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.TransformFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The plug-ins of this server. Closing it closes their jars, so close it only after the last proxy that uses them has
 * ended.
 */
public final class Plugins implements AutoCloseable {

    /** The engine's own source, which no search finds. */
    private static final SecretSourceFactory<?> DELIVERED = new DeliveredSourceFactory();

    private final ClassLoader builtIn;
    private final List<PluginClassLoader> loaders = new ArrayList<>();
    private final Map<String, TransformFactory<?>> transforms = new LinkedHashMap<>();
    private final Map<String, SecretSourceFactory<?>> sources = new LinkedHashMap<>();
    private final Map<String, CompanionFactory<?>> companions = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private PluginCatalog catalog = PluginCatalog.empty();

    private Plugins(ClassLoader builtIn) {
        this.builtIn = builtIn;
    }

    /**
     * Loads the plug-ins on the class path and in the folder {@code plugins}. Blocks.
     *
     * @param folder null for those on the class path only
     * @throws PluginException with every unusable jar; nothing stays open
     */
    public static Plugins load(@Nullable Path folder) throws PluginException {
        return load(folder, Plugins.class.getClassLoader());
    }

    /** As above, with another class path. */
    static Plugins load(@Nullable Path folder, ClassLoader builtIn) throws PluginException {
        Plugins plugins = new Plugins(builtIn);
        plugins.admit("secret source", DELIVERED, () -> DELIVERED.descriptor().names(), plugins.sources);
        plugins.collect(plugins.builtIn, null);
        plugins.collectCompanions();
        if (folder != null) {
            for (PluginFolder plugin : PluginFolder.in(folder, plugins.problems)) {
                plugins.add(plugin);
            }
        }
        PluginCatalog bound = plugins.problems.isEmpty() ? plugins.bind() : null;
        if (bound == null) {
            plugins.close();
            throw new PluginException(plugins.problems);
        }
        plugins.catalog = bound;
        return plugins;
    }

    /** The transforms, sources and sections that configurations can name. */
    public PluginCatalog catalog() {
        return catalog;
    }

    /** How many came from the folder. */
    public int installed() {
        return loaders.size();
    }

    private void add(PluginFolder plugin) {
        if (!plugin.intact(problems)) {
            return;
        }
        PluginClassLoader loader = new PluginClassLoader(plugin.place().toString(), plugin.urls(), builtIn);
        loaders.add(loader);
        int before = problems.size();
        if (collect(loader, plugin.place()) == 0 && problems.size() == before) {
            problems.add(plugin.place() + ": it has no plug-in (expected: META-INF/services/"
                    + TransformFactory.class.getName() + " or META-INF/services/"
                    + SecretSourceFactory.class.getName() + ")");
        }
    }

    /** {@code place} is null for the class path. */
    private int collect(ClassLoader loader, @Nullable Path place) {
        int found = 0;
        for (TransformFactory<?> factory : services(TransformFactory.class, loader, place)) {
            found++;
            admit("transform", factory, () -> factory.descriptor().names(), transforms);
        }
        for (SecretSourceFactory<?> factory : services(SecretSourceFactory.class, loader, place)) {
            found++;
            admit("secret source", factory, () -> factory.descriptor().names(), sources);
        }
        return found;
    }

    /** Only from the class path: a companion is part of the program. */
    private void collectCompanions() {
        for (CompanionFactory<?> factory : services(CompanionFactory.class, builtIn, null)) {
            admit("section", factory, () -> List.of(factory.section()), companions);
        }
    }

    private <F> List<F> services(Class<F> type, ClassLoader loader, @Nullable Path place) {
        List<F> found = new ArrayList<>();
        try {
            Iterator<F> services = ServiceLoader.load(type, loader).iterator();
            while (services.hasNext()) {
                found.add(services.next());
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            problems.add((place == null ? "the class path" : place) + ": a plug-in cannot be loaded: " + reason(e));
        }
        return found;
    }

    private <F> void admit(String kind, F factory, Supplier<List<String>> named, Map<String, F> known) {
        List<String> names;
        try {
            names = named.get();
        } catch (RuntimeException | LinkageError e) {
            problems.add(unusable(factory, e));
            return;
        }
        for (String name : names) {
            F other = known.putIfAbsent(name, factory);
            if (other != null) {
                problems.add(PluginFault.jar(factory) + ": the " + kind + " \"" + name + "\" is also in "
                        + PluginFault.jar(other) + " (expected: one of the two)");
            }
        }
    }

    /**
     * Returns null, and adds problems, when configuration cannot be bound to an installed plug-in. Those on the class
     * path belong to the distribution and are checked when a configuration names them.
     */
    private @Nullable PluginCatalog bind() {
        Set<TransformFactory<?>> transformers = new LinkedHashSet<>(transforms.values());
        Set<SecretSourceFactory<?>> readers = new LinkedHashSet<>(sources.values());
        PluginCatalog bound;
        try {
            bound = PluginCatalog.of(transformers, readers, companions.values());
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
            return null;
        }
        transformers.forEach(factory -> verify(factory, () -> {
            bound.transform(factory.descriptor().name());
            bound.section(factory.descriptor().name());
        }));
        readers.forEach(factory ->
                verify(factory, () -> bound.source(factory.descriptor().name())));
        return problems.isEmpty() ? bound : null;
    }

    private void verify(Object factory, Runnable lookUp) {
        if (factory.getClass().getClassLoader() instanceof PluginClassLoader) {
            blame(factory, lookUp);
        }
    }

    private void blame(Object factory, Runnable attempt) {
        try {
            attempt.run();
        } catch (RuntimeException | LinkageError e) {
            problems.add(unusable(factory, e));
        }
    }

    private static String unusable(Object factory, Throwable fault) {
        return PluginFault.jar(factory) + ": " + factory.getClass().getName() + " cannot be used: " + reason(fault);
    }

    /** One line with the plug-in at fault and the innermost cause, which names what is missing. */
    private static String reason(Throwable fault) {
        String missing = PluginFault.missing(fault);
        if (!missing.isEmpty()) {
            return "the class " + missing + " is missing (expected: its jar beside the plug-in's)";
        }
        Throwable root = fault;
        for (Throwable cause = root.getCause(); cause != null; cause = cause.getCause()) {
            root = cause;
        }
        String text = root instanceof ServiceConfigurationError ? String.valueOf(root.getMessage()) : root.toString();
        return text.lines().findFirst().orElse("").replace(TransformFactory.class.getName() + ": ", "");
    }

    @Override
    public void close() {
        for (PluginClassLoader loader : loaders) {
            try {
                loader.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        loaders.clear();
    }
}
