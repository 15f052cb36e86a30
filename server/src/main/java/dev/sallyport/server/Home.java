package dev.sallyport.server;

import dev.sallyport.server.plugin.PluginException;
import dev.sallyport.server.plugin.Plugins;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The distribution that this process runs from; the launcher names its folder. */
public final class Home {

    private Home() {}

    /** The plug-ins of this server: built in, and from its folder {@code plugins}. Blocks. */
    public static Plugins loadPlugins() throws Failure {
        try {
            Path folder = folder();
            return Plugins.load(folder == null ? null : folder.resolve("plugins"));
        } catch (PluginException e) {
            throw new Failure(e.problems());
        }
    }

    /** The folder of the distribution; null outside of one. */
    public static @Nullable Path folder() {
        String home = System.getProperty("sallyport.home");
        return home == null ? null : Path.of(home);
    }

    /** The words that begin commands of this program; empty outside of a distribution. */
    static List<String> launcher() {
        Path folder = folder();
        return folder == null
                ? List.of()
                : List.of(folder.resolve("bin/sallyport").toString());
    }

    /** The version of this build; {@code dev} outside a distribution. */
    public static String version() {
        String version = Home.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }
}
