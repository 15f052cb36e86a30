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

    private TestProxy proxy(ControlSite control, String token) throws Exception {
        return TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, token))
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
            try (TestProxy proxy = proxy(control, made.token())) {
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
            try (TestProxy proxy = proxy(control, made.token())) {
                proxy.get(origin, "/4");
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> !api.send("GET", made.path() + "/heads", "", 200)
                                .at("/data/0/contradiction")
                                .isNull());
            }
        }
    }

    /** Of a proxy that all accounts share, the operator has them. */
    @Test
    @Tag("long")
    void anEndOfASharedProxysLogThatWasCutOffIsSeenWithTheHeadThatTheOperatorHas() throws Exception {
        Path audit = folder.resolve("proxy/audit.jsonl");
        try (ControlSite control = new ControlSite(folder.resolve("control"));
                TestOrigin origin = TestOrigin.answering(TestOrigin.ok("there"))) {
            String note;
            try (TestProxy proxy = proxy(control, control.addShared("eu-1"))) {
                proxy.get(origin, "/1");
                proxy.get(origin, "/2");
                note = await().atMost(Duration.ofSeconds(60))
                        .ignoreExceptionsInstanceOf(AssertionError.class) // none is there yet
                        .until(
                                () -> control.administer("proxy-head", Map.of("name", "eu-1")),
                                head -> Long.parseLong(
                                                head.lines().skip(1).findFirst().orElse("0"))
                                        >= 2);
            }
            List<NoteKey> keys = List.of(
                    NoteKey.parse(Files.readString(Path.of(audit + ".pub")).strip()));
            assertThat(completeness(audit, keys, note)).isEqualTo("COMPLETE");

            List<String> lines = Files.readAllLines(audit);
            Files.write(audit, lines.subList(0, lines.size() - 1));
            Files.write(Path.of(audit + ".checkpoints"), List.of());

            assertThat(completeness(audit, keys, null)).isEqualTo("UNKNOWN");
            assertThat(completeness(audit, keys, note)).isEqualTo("CUT");
        }
    }

    private static String completeness(Path audit, List<NoteKey> keys, @Nullable String note) throws Exception {
        return ChainVerifier.verify(List.of(audit), keys, note == null ? null : ChainVerifier.head(note, keys))
                .completeness()
                .toString();
    }
}
