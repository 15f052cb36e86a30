package dev.sallyport.server.init;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks pip for its indexes, and where the index has its files, which often is another host. For that pip looks up itself,
 * with its own settings for mirrors, certificates and proxies; nothing is installed.
 */
final class PipIndexes {

    /** {@code global.index-url='https://...'}, {@code :env:.extra-index-url='https://... https://...'}. */
    private static final Pattern SETTING = Pattern.compile("^[^=]*\\.(extra-)?index-url='(.*)'$", Pattern.MULTILINE);

    private static final Pattern PRESET = Pattern.compile(
            "Base\\s+URL\\s+of\\s+the\\s+Python\\s+Package\\s+Index\\s+\\(default\\s+(https?://[^)\\s]+)\\)");

    /** Resolves the newest pip, and says as JSON where it would be downloaded from (pip 22.2 and later). */
    private static final List<String> LOOK_UP = List.of(
            "install",
            "--dry-run",
            "--ignore-installed",
            "--no-deps",
            "--no-input",
            "--disable-pip-version-check",
            "--retries",
            "1",
            "--timeout",
            "8",
            "--quiet",
            "--report",
            "-",
            "pip");

    private static final String UNKNOWN =
            "the host of its files is not known, since the index could not be asked (pip install --dry-run --report): "
                    + "where it is another one, --allow HOST lets it through";
    private static final String EXTRA = "extra indexes may have their files on hosts that are not listed here";

    private PipIndexes() {}

    static Answer ask(Tools tools) throws IOException, InterruptedException {
        String pip = tools.has("pip") ? "pip" : tools.has("pip3") ? "pip3" : null;
        if (pip == null) {
            return Answer.missing("pip");
        }
        List<Registry> registries = new ArrayList<>();
        boolean index = false;
        boolean extra = false;
        Matcher setting = SETTING.matcher(text(tools.ask(pip, "config", "list")));
        while (setting.find()) {
            index |= setting.group(1) == null;
            extra |= setting.group(1) != null;
            for (String url : setting.group(2).split("\\s+|\\\\n", -1)) {
                RegistryCommands.add(registries, url);
            }
        }
        String source = pip + " config list";
        if (!index) {
            Matcher preset = PRESET.matcher(text(tools.ask(pip, "install", "--help")));
            if (preset.find()) {
                RegistryCommands.add(registries, preset.group(1));
            }
            source = registries.size() > 1 ? source + " and " + pip + " install --help" : pip + " install --help";
        }
        if (registries.isEmpty()) {
            return Answer.silent("pip", "does not say its index (" + pip + " config list)");
        }
        List<Registry> files = files(tools, pip);
        for (Registry host : files) {
            if (!registries.contains(host)) {
                registries.add(host);
            }
        }
        String note = files.isEmpty() ? UNKNOWN : extra ? EXTRA : "";
        return Answer.of(
                "pip",
                files.isEmpty() ? source : source + ", " + pip + " install --dry-run --report",
                registries,
                note);
    }

    /** Where the index has its files; nothing where it cannot be reached, or pip is too old. */
    private static List<Registry> files(Tools tools, String pip) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(pip));
        command.addAll(LOOK_UP);
        String report = tools.ask(command.toArray(String[]::new));
        List<Registry> hosts = new ArrayList<>();
        if (report != null) {
            for (JsonNode found : json(report).path("install")) {
                RegistryCommands.add(
                        hosts, found.path("download_info").path("url").asText());
            }
        }
        return hosts;
    }

    private static JsonNode json(String text) {
        try {
            return Objects.requireNonNullElse(new ObjectMapper().readTree(text), new ObjectMapper().nullNode());
        } catch (JsonProcessingException e) {
            return new ObjectMapper().nullNode(); // another report than is known
        }
    }

    private static String text(@Nullable String said) {
        return said == null ? "" : said;
    }
}
