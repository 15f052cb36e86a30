package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.testsupport.TestOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, section 14: {@code log.audit.file}. */
@Timeout(60)
class AuditFileTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private TestProxy.Builder proxy(String audit) {
        return TestProxy.builder(folder).sections("log: {audit: {" + audit + "}}\n");
    }

    /** Starts from a file in the folder, so that paths are relative to it. */
    private TestProxy started(String audit) throws Exception {
        TestProxy.Builder builder = proxy(audit);
        return builder.start(Files.writeString(folder.resolve("proxy.yaml"), builder.yaml()));
    }

    private static List<JsonNode> records(Path file) throws IOException {
        List<JsonNode> records = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            records.add(JSON.readTree(line));
        }
        return records;
    }

    @Test
    void recordsAreAppendedToAFileBesideTheConfiguration() throws Exception {
        Path file = folder.resolve("audit.jsonl");
        for (String path : List.of("/first", "/second")) {
            try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                    TestProxy proxy = started("file: audit.jsonl")) {
                proxy.get(origin, path);
            }
        }

        assertThat(records(file))
                .extracting(record -> record.path("audit").path("path").asText())
                .containsExactly("/first", "/second");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aLineThatWasNotFinishedIsEnded() throws Exception {
        Path file = Files.writeString(folder.resolve("audit.jsonl"), "{\"time\":\"20");
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = started("file: audit.jsonl")) {
            proxy.get(origin, "/next");
        }

        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(2).first().isEqualTo("{\"time\":\"20");
        assertThat(JSON.readTree(lines.getLast()).path("audit").path("path").asText())
                .isEqualTo("/next");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "missing/audit.jsonl | its folder does not exist",
                "taken | a folder",
                "/dev/null | not a regular file",
                "proxy.yaml/audit.jsonl | its folder does not exist",
            })
    void whatCannotBeWrittenIsFoundBeforeTheStart(String path, String why) throws Exception {
        Files.createDirectory(folder.resolve("taken"));
        TestProxy.Builder builder = proxy("file: " + path);
        Path config = Files.writeString(folder.resolve("proxy.yaml"), builder.yaml());

        ConfigResult checked =
                EgressProxy.check(ConfigLoader.load(config, Map.of(), PluginCatalog.of(List.of(), List.of())));
        StartException refused = catchThrowableOfType(StartException.class, () -> builder.start(config));

        assertThat(checked).isInstanceOf(ConfigResult.Invalid.class);
        assertThat(checked.problems())
                .extracting(ConfigProblem::toString)
                .singleElement()
                .asString()
                .contains("/log/audit/file: ", path + ": " + why);
        assertThat(refused.problems()).hasSize(1).first().asString().contains(path + ": " + why);
    }

    @Test
    void theCheckMakesNoFile() throws Exception {
        Path config = Files.writeString(
                folder.resolve("proxy.yaml"), proxy("file: audit.jsonl").yaml());

        ConfigResult checked =
                EgressProxy.check(ConfigLoader.load(config, Map.of(), PluginCatalog.of(List.of(), List.of())));

        assertThat(checked).isInstanceOf(ConfigResult.Loaded.class);
        assertThat(folder.resolve("audit.jsonl")).doesNotExist();
    }

    @Test
    void anotherFileNeedsARestart() throws Exception {
        Path file = folder.resolve("audit.jsonl");
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = started("file: audit.jsonl")) {
            String yaml = Files.readString(folder.resolve("proxy.yaml"));
            Files.writeString(folder.resolve("proxy.yaml"), yaml.replace("audit.jsonl", "other.jsonl"));

            ReloadResult result = proxy.proxy().reload();
            proxy.get(origin, "/after");

            assertThat(result)
                    .isInstanceOfSatisfying(
                            ReloadResult.Reloaded.class,
                            reloaded -> assertThat(reloaded.restartRequired()).containsExactly("/log/audit/file"));
        }
        assertThat(records(file)).hasSize(1);
        assertThat(folder.resolve("other.jsonl")).doesNotExist();
    }

    @Test
    void keepingNoRecordIsToldInWords() throws Exception {
        try (TestProxy proxy = started("stdout: false")) {
            assertThat(proxy.proxy().warnings())
                    .anySatisfy(warning ->
                            assertThat(warning).contains("/log/audit/stdout: no audit records would be kept"));
        }
    }
}
