package dev.sallyport.control;

import dev.sallyport.control.agent.AgentSettings;
import dev.sallyport.control.agent.Harness;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.spi.Problems;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What is made from block {@code agents} of {@code sandboxes}. */
final class AgentParts {

    private static final String POINTER = "/sandboxes/agents";
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final List<String> PASSWORDS = List.of("GIT_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN");

    private AgentParts() {}

    /** Reports what can be seen in the configuration alone; pointers are those of section {@code control}. */
    static void check(AgentConfig config, Problems problems) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < config.harnesses().size(); i++) {
            check(config.harnesses().get(i), POINTER + "/harnesses/" + i, problems);
            if (!names.add(config.harnesses().get(i).name())) {
                problems.add(POINTER + "/harnesses/" + i + "/name", "the name of another harness", "each once");
            }
        }
        Map<String, Harness> all = harnesses(config);
        if (!all.containsKey(config.harness())) {
            problems.add(
                    POINTER + "/harness", "there is no harness " + config.harness(), String.join(", ", all.keySet()));
        }
        for (int i = 0; i < config.gitPasswordEnv().size(); i++) {
            if (!VARIABLE.matcher(config.gitPasswordEnv().get(i)).matches()) {
                problems.add(
                        POINTER + "/git_password_env/" + i,
                        "not the name of a variable",
                        "letters, digits and underscores");
            }
        }
    }

    private static void check(AgentConfig.HarnessConfig harness, String pointer, Problems problems) {
        if (!NAME.matcher(harness.name()).matches()) {
            problems.add(pointer + "/name", "not the name of a harness", "1 to 64 of a-z, 0-9, '.', '_', '-'");
        }
        if (harness.command().isEmpty() || harness.command().getFirst().isBlank()) {
            problems.add(pointer + "/command", "no command", "a program, and its arguments");
        }
        if (harness.command().stream().anyMatch(element -> element.indexOf('\0') >= 0)) {
            problems.add(pointer + "/command", "a NUL in an element", "text");
        }
        if (harness.image() != null && !ImageName.isValid(harness.image())) {
            problems.add(pointer + "/image", "not the name of an image", "a name such as debian-12");
        }
    }

    static AgentSettings settings(AgentConfig config) {
        return new AgentSettings(
                config.harness(),
                List.copyOf(harnesses(config).values()),
                config.timeBudget(),
                config.logSize().bytes(),
                config.push(),
                config.gitPasswordEnv().isEmpty() ? PASSWORDS : config.gitPasswordEnv());
    }

    private static Map<String, Harness> harnesses(AgentConfig config) {
        Map<String, Harness> all = new LinkedHashMap<>();
        Harness.BUILT_IN.forEach(harness -> all.put(harness.name(), harness));
        config.harnesses()
                .forEach(harness ->
                        all.put(harness.name(), new Harness(harness.name(), harness.command(), harness.image())));
        return all;
    }
}
