package dev.sallyport.server.init;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Cargo has no command that tells its registry. Its configuration names those that replace or join the default one, and
 * its cache those that it has used.
 */
final class CargoRegistries {

    private static final Pattern URL = Pattern.compile(
            "^\\s*(?:[\\w.\"-]+\\.)?(?:registry|index)\\s*=\\s*\"(?:sparse\\+|git\\+)?(https?://[^\"]+)\"",
            Pattern.MULTILINE);

    private static final Pattern REPLACED = Pattern.compile(
            "\\[source\\.\"?crates-io\"?]\\s*(?:\\R[^\\[]*)?\\R?\\s*replace-with\\s*=", Pattern.MULTILINE);

    private CargoRegistries() {}

    static Answer ask(Tools tools) throws IOException {
        if (!tools.has("cargo")) {
            return Answer.missing("cargo");
        }
        String named = tools.environment().get("CARGO_HOME");
        Path home = named == null ? tools.home(".cargo") : Path.of(named);
        List<Registry> registries = new ArrayList<>();
        boolean replaced = false;
        for (Path file : configurations(tools.folder(), home)) {
            String text = Files.readString(file);
            Matcher url = URL.matcher(text);
            while (url.find()) {
                RegistryCommands.add(registries, url.group(1));
            }
            replaced |= REPLACED.matcher(text).find();
        }
        String source = "cargo's configuration";
        if (!replaced) {
            int before = registries.size();
            cached(home.resolve("registry/index"), registries);
            source = before == 0 ? "cargo's cache" : registries.size() > before ? source + " and cache" : source;
        }
        return registries.isEmpty()
                ? Answer.silent("cargo", "names its registry only once it has used it")
                : Answer.of("cargo", source, registries, "");
    }

    /** Those that cargo reads in this folder: its own, and those of the folders around. */
    private static List<Path> configurations(Path folder, Path home) {
        List<Path> files = new ArrayList<>();
        for (Path at = folder.toAbsolutePath(); at != null; at = at.getParent()) {
            add(at.resolve(".cargo"), files);
        }
        add(home, files);
        return files.stream().distinct().toList();
    }

    private static void add(Path folder, List<Path> files) {
        Stream.of("config.toml", "config")
                .map(folder::resolve)
                .filter(Files::isRegularFile)
                .filter(Files::isReadable)
                .findFirst()
                .ifPresent(file -> files.add(file.normalize()));
    }

    /** Each index in the cache is a folder named {@code HOST-HASH}, whose config.json has the addresses of the files. */
    private static void cached(Path indexes, List<Registry> registries) throws IOException {
        if (!Files.isDirectory(indexes)) {
            return;
        }
        List<Path> folders;
        try (Stream<Path> found = Files.list(indexes)) {
            folders = found.filter(Files::isDirectory).sorted().toList();
        }
        ObjectMapper json = new ObjectMapper();
        for (Path folder : folders) {
            String name = folder.getFileName().toString();
            RegistryCommands.add(registries, "https://" + name.substring(0, Math.max(0, name.lastIndexOf('-'))));
            Path config = folder.resolve("config.json");
            if (Files.isReadable(config)) {
                JsonNode node = json.readTree(Files.readString(config));
                RegistryCommands.add(registries, node.path("dl").asText().replaceAll("\\{[^}]*}", "x"));
            }
        }
    }
}
