package dev.sallyport.control;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Reads section {@code control} as the program does. */
final class Sections {

    private Sections() {}

    static ConfigResult load(String yaml, Path folder, Map<String, String> environment) {
        return ConfigLoader.load(
                "f.yaml",
                yaml,
                folder,
                environment,
                PluginCatalog.of(List.of(), List.of(), List.of(new ControlFactory())));
    }

    /** The section of a text without problems in it. */
    static ControlConfig control(String yaml, Path folder) {
        ConfigResult result = load(yaml, folder, Map.of());
        List<String> problems = problems(result);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", problems));
        }
        return (ControlConfig)
                Objects.requireNonNull(result.draft()).companions().getFirst().config();
    }

    /** The problems of the section. */
    static List<String> problems(ConfigResult result) {
        return result.problems().stream()
                .filter(problem -> problem.pointer().startsWith("/control"))
                .map(ConfigProblem::toString)
                .toList();
    }
}
