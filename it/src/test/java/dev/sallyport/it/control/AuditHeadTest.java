package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.audit.chain.ChainVerifier;
import dev.sallyport.core.audit.chain.NoteKey;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.TestOrigin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The end of a proxy's audit log that was cut off is seen against the head that the control plane has. */
@Timeout(180)
class AuditHeadTest {

    @TempDir
    Path folder;

    private TestProxy proxy(ControlSite control, ControlSite.Made made) throws Exception {
        return TestProxy.builder(folder.resolve("proxy"))
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, made.token()))
                .sections(control.section() + "log: {audit: {file: " + folder.resolve("proxy/audit.jsonl")
                        + ", chain: true}}\n")
                .start();
    }

    private static JsonNode head(ControlApi api, ControlSite.Made made, long size) throws Exception {
        return await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> api.send("GET", made.path() + "/heads", "", 200).at("/data/0"),
                        head -> head.path("size").asLong() >= size);
    }

    @Test
    @Tag("long")
    void anEndThatWasCutOffIsSeenAndToldByTheProxyItself() throws Exception {
        Files.createDirectories(folder.resolve("proxy"));
        Path audit = folder.resolve("proxy/audit.jsonl");
        try (ControlSite control = new ControlSite(folder.resolve("control"));
                TestOrigin origin = TestOrigin.answering(TestOrigin.ok("there"))) {
            ControlApi api = control.signUp();
            ControlSite.Made made = ControlSite.proxy(api, "p");
            String note;
            List<NoteKey> keys;
            try (TestProxy proxy = proxy(control, made)) {
                proxy.get(origin, "/1");
                head(api, made, 1);
                Files.copy(audit, folder.resolve("before"), StandardCopyOption.REPLACE_EXISTING);
                Files.copy(
                        Path.of(audit + ".checkpoints"),
                        folder.resolve("before.checkpoints"),
                        StandardCopyOption.REPLACE_EXISTING);
                proxy.get(origin, "/2");
                proxy.get(origin, "/3");
                JsonNode head = head(api, made, 3);
                note = head.path("note").asText();
                keys = List.of(NoteKey.parse(head.path("key").asText()));
            }
            assertThat(completeness(audit, keys, note)).isEqualTo("COMPLETE");

            // when: the end goes, with the checkpoints that would tell
            Files.move(folder.resolve("before"), audit, StandardCopyOption.REPLACE_EXISTING);
            Files.move(
                    folder.resolve("before.checkpoints"),
                    Path.of(audit + ".checkpoints"),
                    StandardCopyOption.REPLACE_EXISTING);

            // then
            assertThat(completeness(audit, keys, null)).isEqualTo("UNKNOWN");
            assertThat(completeness(audit, keys, note)).isEqualTo("CUT");
            try (TestProxy proxy = proxy(control, made)) {
                proxy.get(origin, "/4");
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> !api.send("GET", made.path() + "/heads", "", 200)
                                .at("/data/0/contradiction")
                                .isNull());
            }
        }
    }

    private static String completeness(Path audit, List<NoteKey> keys, @Nullable String note) throws Exception {
        return ChainVerifier.verify(List.of(audit), keys, note == null ? null : ChainVerifier.head(note, keys))
                .completeness()
                .toString();
    }
}
