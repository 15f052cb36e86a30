package dev.sallyport.server.plugin;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/**
 * Loads the classes of one plug-in: its own jars on top of the Java platform. It sees only the SPI and the few types
 * that the SPI refers to, so its libraries never conflict with those of the server or of another plug-in. A copy of the
 * SPI among its own jars is ignored.
 */
final class PluginClassLoader extends URLClassLoader {

    static {
        registerAsParallelCapable();
    }

    private static final List<String> SHARED = List.of(
            "dev.sallyport.spi.",
            "dev.sallyport.toolkit.",
            "org.jspecify.annotations.",
            "com.fasterxml.jackson.annotation.",
            "org.slf4j.");

    private final ClassLoader contract;

    /** {@code contract} is the loader of the shared packages. */
    PluginClassLoader(String name, List<URL> jars, ClassLoader contract) {
        super(name, jars.toArray(URL[]::new), getPlatformClassLoader());
        this.contract = contract;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        return isShared(name) ? contract.loadClass(name) : super.loadClass(name, resolve);
    }

    private static boolean isShared(String className) {
        for (String prefix : SHARED) {
            if (className.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
