package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.audit.chain.ChainVerifier;
import dev.sallyport.core.audit.chain.NoteKey;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.testsupport.TestOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** docs/spec/decisions.md, section 14: {@code log.audit.chain} and {@code rotate} in a whole proxy. */
@Timeout(120)
class AuditChainTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private TestProxy started(String audit) throws Exception {
        TestProxy.Builder builder = TestProxy.builder(folder).sections("log: {audit: {" + audit + "}}\n");
        return builder.start(Files.writeString(folder.resolve("proxy.yaml"), builder.yaml()));
    }

    private List<Path> files() throws IOException {
        try (var all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().matches("audit\\.jsonl(\\.\\d{6})?"))
                    .sorted()
                    .toList();
        }
    }

    private ChainVerifier.Report verify() throws Exception {
        return ChainVerifier.verify(files(), NoteKey.read(folder.resolve("audit.jsonl.pub")), null);
    }

    @Test
    void recordsAreNumberedWithoutGapsOverStartsAndBeginWithTheSameFields() throws Exception {
        for (int start = 0; start < 2; start++) {
            try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                    TestProxy proxy = started("file: audit.jsonl, chain: true")) {
                proxy.get(origin, "/a");
                proxy.get(origin, "/b");
            }
        }

        List<JsonNode> records = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("audit.jsonl"))) {
            records.add(JSON.readTree(line));
        }
        assertThat(records).extracting(record -> record.path("seq").asLong()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(records).allSatisfy(record -> {
            List<String> names = new ArrayList<>();
            record.fieldNames().forEachRemaining(names::add);
            assertThat(names).startsWith("time", "level", "msg", "schema_version", "seq", "exchange_id");
            assertThat(names.getLast()).isEqualTo("prev");
            assertThat(record.path("schema_version").asInt()).isEqualTo(1);
        });
        assertThat(verify().broken()).isNull();
        assertThat(verify().facts()).anyMatch(fact -> fact.contains("up to seq 4; nothing vouches for 0 records"));
    }

    @Test
    void withoutAChainARecordHasItsVersionAndNoNumber() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = started("file: audit.jsonl")) {
            proxy.get(origin, "/a");
        }

        JsonNode record = JSON.readTree(Files.readString(folder.resolve("audit.jsonl")));
        assertThat(record.path("schema_version").asInt()).isEqualTo(1);
        assertThat(record.has("seq")).isFalse();
        assertThat(record.has("prev")).isFalse();
        assertThat(folder.resolve("audit.jsonl.key")).doesNotExist();
        assertThat(folder.resolve("audit.jsonl.checkpoints")).doesNotExist();
    }

    @Test
    void aReloadChangesTheRotationAndNothingElseOfIt() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("hello"));
                TestProxy proxy = started("file: audit.jsonl, chain: true, rotate: {age: 24h}")) {
            proxy.get(origin, "/a");
            proxy.record();
            Path config = folder.resolve("proxy.yaml");
            Files.writeString(
                    config, Files.readString(config).replace("age: 24h}", "age: 1s}, checkpoint: {records: 5}"));

            ReloadResult result = proxy.proxy().reload();
            Thread.sleep(1100);
            proxy.get(origin, "/b");
            proxy.record();

            assertThat(result)
                    .isInstanceOfSatisfying(
                            ReloadResult.Reloaded.class,
                            reloaded -> assertThat(reloaded.restartRequired())
                                    .containsExactly("/log/audit/checkpoint/records"));
        }

        assertThat(files()).hasSize(2);
        assertThat(verify().broken()).isNull();
        assertThat(verify().last()).isEqualTo(2);
    }

    @Test
    void aKeyThatIsNoneIsFoundBeforeTheStart() throws Exception {
        Path key = Files.writeString(folder.resolve("my.key"), "nothing of the kind");
        TestProxy.Builder builder = TestProxy.builder(folder)
                .sections("log: {audit: {file: audit.jsonl, chain: true, checkpoint: {key_file: my.key}}}\n");
        Path config = Files.writeString(folder.resolve("proxy.yaml"), builder.yaml());

        ConfigResult checked =
                EgressProxy.check(ConfigLoader.load(config, Map.of(), PluginCatalog.of(List.of(), List.of())));
        StartException refused = catchThrowableOfType(StartException.class, () -> builder.start(config));

        String problem =
                "/log/audit/checkpoint/key_file: " + key + ": not an audit key (expected: PRIVATE+KEY+NAME+ID+KEY)";
        assertThat(checked.problems()).singleElement().asString().contains(problem);
        assertThat(refused.problems()).singleElement().asString().contains(problem);
        assertThat(folder.resolve("audit.jsonl")).doesNotExist();
    }
}
