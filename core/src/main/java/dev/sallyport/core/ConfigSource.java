package dev.sallyport.core;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a configuration comes from: a file, or text.
 *
 * @param file null for text
 * @param name what stands for the file in messages about text
 * @param base the folder to which paths in text are relative
 * @param adopting whether the proxy gets its sockets from elsewhere, so that all listeners may be disabled
 */
record ConfigSource(@Nullable Path file, String name, String text, Path base, boolean adopting) {

    static ConfigSource of(Path file) {
        return new ConfigSource(Objects.requireNonNull(file, "configFile"), "", "", Path.of(""), false);
    }

    static ConfigSource of(String name, String text, Path base) {
        return new ConfigSource(
                null,
                Objects.requireNonNull(name, "name"),
                Objects.requireNonNull(text, "yaml"),
                Objects.requireNonNull(base, "base"),
                false);
    }

    ConfigSource adopting(boolean whether) {
        return new ConfigSource(file, name, text, base, whether);
    }

    /** Reads it as it is now. Blocks. */
    ConfigResult read(Map<String, String> environment, PluginCatalog catalog) {
        return file != null
                ? ConfigLoader.load(file, environment, catalog, adopting)
                : ConfigLoader.load(name, text, base, environment, catalog, adopting);
    }

    /** The folder against which relative paths of the configuration are resolved. */
    Path folder() {
        Path folder = file == null ? base : file.toAbsolutePath().getParent();
        return folder == null ? Path.of("/") : folder;
    }
}
