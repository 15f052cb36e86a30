package dev.sallyport.server.plugin;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/**
 * The classes of one plug-in: its own jars above the Java platform. Of the server it sees only the contract and the few
 * types that the contract speaks of, so that its libraries never meet the server's or another plug-in's. A copy of the
 * contract among its own jars is never used.
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
