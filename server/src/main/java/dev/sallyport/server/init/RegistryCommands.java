package dev.sallyport.server.init;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks the package managers that have a command for it. */
final class RegistryCommands {

    private RegistryCommands() {}

    static Answer npm(Tools tools) throws IOException, InterruptedException {
        if (!tools.has("npm")) {
            return Answer.missing("npm");
        }
        String said = tools.ask("npm", "config", "get", "registry");
        Registry registry = said == null ? null : Registry.of(said);
        return registry == null
                ? Answer.silent("npm", "does not say its registry (npm config get registry)")
                : Answer.of("npm", "npm config get registry", List.of(registry), "");
    }

    static Answer go(Tools tools) throws IOException, InterruptedException {
        if (!tools.has("go")) {
            return Answer.missing("go");
        }
        String[] said = text(tools.ask("go", "env", "GOPROXY", "GOSUMDB")).split("\\R", -1);
        List<Registry> registries = new ArrayList<>();
        for (String proxy : said[0].split("[,|]", -1)) {
            add(registries, proxy);
        }
        if (said.length > 1 && !said[1].isBlank() && !said[1].strip().equals("off")) {
            String[] words = said[1].strip().split("\\s+", -1);
            String name = words[0].split("\\+", 2)[0];
            add(registries, words.length > 1 ? words[1] : "https://" + name);
        }
        return registries.isEmpty()
                ? Answer.silent("go", "uses no module proxy (go env GOPROXY)")
                : Answer.of(
                        "go",
                        "go env GOPROXY GOSUMDB",
                        registries,
                        said[0].contains("direct") ? "modules' own hosts (direct) are not let through" : "");
    }

    static Answer apt(Tools tools) throws IOException, InterruptedException {
        if (!tools.has("apt-get")) {
            return Answer.missing("apt");
        }
        List<Registry> registries = new ArrayList<>();
        text(tools.ask("apt-get", "indextargets", "--format", "$(SITE)"))
                .lines()
                .forEach(site -> add(registries, site));
        return registries.isEmpty()
                ? Answer.silent("apt", "has no source that is reached over HTTP (apt-get indextargets)")
                : Answer.of("apt", "apt-get indextargets", registries, "");
    }

    static void add(List<Registry> registries, String url) {
        Registry registry = Registry.of(url);
        if (registry != null && !registries.contains(registry)) {
            registries.add(registry);
        }
    }

    private static String text(@Nullable String said) {
        return said == null ? "" : said;
    }
}
