package dev.sallyport.server.init;

import dev.sallyport.spi.Rule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the tools of this machine say about where they read from, as rules.
 *
 * @param line what was found and how, for people
 * @param rules for reading from there; none when the tool is missing or does not say
 */
public record AskedRegistries(String line, List<Rule> rules) {

    private static final List<String> READING = List.of("GET", "HEAD");

    public AskedRegistries {
        rules = List.copyOf(rules);
    }

    /**
     * Asks a package manager for its registries. Blocks; makes no connection.
     *
     * @param environment of the tool
     * @param folder that it runs in
     */
    public static AskedRegistries of(PackageManager manager, Map<String, String> environment, Path folder)
            throws IOException, InterruptedException {
        Answer answer = manager.ask(new Tools(environment, folder));
        List<Rule> rules = new ArrayList<>();
        answer.registries()
                .forEach(registry -> rules.add(rule(registry).methods(READING).build()));
        return new AskedRegistries(answer.line(), rules);
    }

    /** Asks git for the HTTP remotes of the repository in a folder: what a fetch needs. Blocks; makes no connection. */
    public static AskedRegistries ofGit(Map<String, String> environment, Path folder)
            throws IOException, InterruptedException {
        List<Rule> rules = new ArrayList<>();
        List<String> shown = new ArrayList<>();
        for (Repository repository : Repository.of(new Tools(environment, folder))) {
            rules.add(rule(repository.host())
                    .methods(List.of("GET", "POST"))
                    .paths(repository.paths())
                    .build());
            shown.add(repository.host() + repository.path());
        }
        String line = shown.isEmpty()
                ? "git has no remote here that is reached over HTTP, so nothing is let through for it"
                : "git: " + String.join(", ", shown) + " (git remote -v)";
        return new AskedRegistries(line, rules);
    }

    private static Rule.Builder rule(Registry registry) {
        Rule.Builder rule = registry.address()
                ? Rule.builder().cidr(registry.host())
                : Rule.builder().host(registry.host());
        return registry.port() == 0 ? rule : rule.ports(List.of(registry.port()));
    }
}
