package dev.sallyport.server.run;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.init.AskedRegistries;
import dev.sallyport.server.init.PackageManager;
import dev.sallyport.spi.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Allowlists for tools, files of the folder {@code presets} of the distribution.
 *
 * @param folder null outside of a distribution
 */
record Presets(@Nullable Path folder) {

    private static final String SUFFIX = ".yaml";
    private static final String GIT = "git";

    /** Those of the distribution that this process runs from. */
    static Presets installed() {
        Path home = Home.folder();
        return new Presets(home == null ? null : home.resolve("presets"));
    }

    /**
     * A file.
     *
     * @param ask the tool that is asked where it reads from; null when none is
     * @param hosts that are let through
     * @param source where it is said that these hosts are needed
     */
    record Preset(
            @Nullable String ask,
            @Nullable List<String> hosts,
            @JsonProperty(required = true) String source) {}

    /**
     * The rules of presets.
     *
     * @param names of presets
     * @param environment of tools that are asked; no secret should be in there
     * @param note receives which hosts that gives
     * @throws UsageException when there is no such preset
     */
    List<Rule> rules(List<String> names, Map<String, String> environment, Consumer<String> note)
            throws UsageException, Failure, InterruptedException {
        List<Rule> rules = new ArrayList<>();
        for (String name : names) {
            Preset preset = read(name);
            try {
                ask(preset, name, environment, note, rules);
            } catch (IOException e) {
                throw new Failure("preset " + name + ": " + e.getMessage());
            }
            List<String> hosts = Objects.requireNonNullElse(preset.hosts(), List.of());
            for (String host : hosts) {
                rules.add(AllowedHost.rule(host));
            }
            if (!hosts.isEmpty()) {
                note.accept("preset " + name + ": " + String.join(", ", hosts));
            }
        }
        return rules;
    }

    private static void ask(
            Preset preset, String name, Map<String, String> environment, Consumer<String> note, List<Rule> rules)
            throws IOException, InterruptedException, Failure {
        if (preset.ask() == null) {
            return;
        }
        PackageManager manager = PackageManager.of(preset.ask());
        if (manager == null && !preset.ask().equals(GIT)) {
            throw new Failure("preset " + name + ": ask: " + preset.ask() + " (expected: "
                    + String.join(", ", PackageManager.options()) + " or git)");
        }
        AskedRegistries asked = manager == null
                ? AskedRegistries.ofGit(environment, Path.of("").toAbsolutePath())
                : elsewhere(manager, environment);
        rules.addAll(asked.rules());
        note.accept("preset " + asked.line());
    }

    /**
     * Asks a package manager outside of the project: files of a project could name any registry, and some tools run what
     * they name.
     */
    private static AskedRegistries elsewhere(PackageManager manager, Map<String, String> environment)
            throws IOException, InterruptedException {
        if (manager == PackageManager.CARGO) {
            return AskedRegistries.of(manager, environment, Path.of("/")); // it looks into all folders above
        }
        try (EmptyProject project = EmptyProject.create()) {
            return AskedRegistries.of(manager, environment, project.folder());
        }
    }

    private Preset read(String name) throws UsageException, Failure {
        Path file = folder == null || !name.matches("[a-z0-9-]+") ? null : folder.resolve(name + SUFFIX);
        if (file == null || !Files.exists(file)) {
            throw new UsageException("--preset " + name + ": there is no such preset", String.join(", ", names()));
        }
        try {
            return new ObjectMapper(new YAMLFactory()).readValue(file.toFile(), Preset.class);
        } catch (IOException e) {
            throw new Failure(file + ": is no preset: "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
    }

    private List<String> names() {
        if (folder == null || !Files.isDirectory(folder)) {
            return List.of("a distribution with presets");
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(SUFFIX))
                    .map(file -> file.substring(0, file.length() - SUFFIX.length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of("a folder presets that can be read");
        }
    }
}
