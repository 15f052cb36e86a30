package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.SecretValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An empty or unknown body is refused, never applied. */
class SnapshotTest {

    static final String PIPELINE = "{\"transforms\":[{\"name\":\"allowlist\",\"config\":{\"rules\":[]}}]}";

    static ObjectNode json(String pipeline) throws Exception {
        return Pipelines.JSON
                .createObjectNode()
                .put("format", 1)
                .put("epoch", "e")
                .put("revision", 7)
                .put(
                        "hash",
                        HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256")
                                        .digest(pipeline.getBytes(StandardCharsets.UTF_8))))
                .put("pipeline", pipeline);
    }

    @Test
    void aWholeOneIsRead() throws Exception {
        Snapshot snapshot = Snapshot.of(json(PIPELINE), null, Credentials.NONE);

        assertThat(snapshot.revision()).isEqualTo(7);
        assertThat(snapshot.pipeline()).isEqualTo(PIPELINE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "null",
                "not json",
                "{\"transforms\":[]}",
                "{\"transforms\":[{\"name\":\"secrets\"}]}",
                "{\"mcp\":{}}"
            })
    void aPipelineWithoutAGateIsRefused(String pipeline) throws Exception {
        ObjectNode json = json(pipeline);

        assertThatThrownBy(() -> Snapshot.of(json, null, Credentials.NONE))
                .isInstanceOf(UnusableSnapshotException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"format", "epoch", "revision", "hash", "pipeline"})
    void whatLacksAPartIsRefused(String key) throws Exception {
        ObjectNode json = json(PIPELINE);
        json.remove(key);

        assertThatThrownBy(() -> Snapshot.of(json, null, Credentials.NONE))
                .isInstanceOf(UnusableSnapshotException.class);
    }

    @Test
    void anotherFormIsRefused() throws Exception {
        ObjectNode json = json(PIPELINE).put("format", 2);

        assertThatThrownBy(() -> Snapshot.of(json, null, Credentials.NONE)).hasMessageContaining("expected: format 1");
    }

    private static String gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /** A snapshot of the same hash, without its text. */
    private static ObjectNode without(String pipeline) throws Exception {
        ObjectNode json = json(pipeline);
        json.remove("pipeline");
        return json;
    }

    @Test
    void aCompressedOneIsRead() throws Exception {
        ObjectNode json = without(PIPELINE).put("pipeline_gzip", gzip(PIPELINE));

        assertThat(Snapshot.of(json, null, Credentials.NONE).pipeline()).isEqualTo(PIPELINE);
    }

    @Test
    void aDifferenceIsReadWhereItsBaseIsHeld() throws Exception {
        Snapshot held = Snapshot.of(json(PIPELINE), null, Credentials.NONE);
        String next = PIPELINE.replace("[]", "[{\"host\":\"a.test\"}]");
        int front = PIPELINE.indexOf("[]") + 1;
        ObjectNode json = without(next);
        json.putObject("splice")
                .put("base", held.hash())
                .put("front", front)
                .put("back", PIPELINE.length() - front)
                .put("middle", "{\"host\":\"a.test\"}");

        assertThat(Snapshot.of(json, held, Credentials.NONE).pipeline()).isEqualTo(next);
        assertThatThrownBy(() -> Snapshot.of(json, null, Credentials.NONE)).hasMessageContaining("is not here");
        Snapshot other = Snapshot.of(json(next), null, Credentials.NONE);
        assertThatThrownBy(() -> Snapshot.of(json, other, Credentials.NONE)).hasMessageContaining("is not here");
    }

    /** Secrets alone have changed. */
    @Test
    void thePipelineStaysWhereItIsHeld() throws Exception {
        Snapshot held = Snapshot.of(json(PIPELINE), null, Credentials.NONE);
        Credentials secrets = credentials("1");
        ObjectNode json = without(PIPELINE)
                .put("pipeline_hash", held.pipelineHash())
                .put("hash", secrets.hash(held.pipelineHash()));

        assertThat(Snapshot.of(json, held, secrets).pipeline()).isEqualTo(PIPELINE);
        assertThatThrownBy(() -> Snapshot.of(json, null, secrets)).hasMessageContaining("is not here");
        json.put("pipeline_hash", "0");
        assertThatThrownBy(() -> Snapshot.of(json, held, secrets)).hasMessageContaining("is not here");
    }

    private static Credentials credentials(String version) {
        return new Credentials(
                new TreeMap<>(Map.of("a", new Credentials.Credential(version, SecretValue.of("s3cr3t-0123456789")))),
                false);
    }

    /** A policy and secrets are never of two revisions. */
    @Test
    void theHashTellsSecretsToo() throws Exception {
        Snapshot held = Snapshot.of(json(PIPELINE), null, Credentials.NONE);
        ObjectNode json = json(PIPELINE).put("hash", credentials("2").hash(held.pipelineHash()));

        assertThat(Snapshot.of(json, null, credentials("2")).credentials()).isEqualTo(credentials("2"));
        assertThatThrownBy(() -> Snapshot.of(json, null, credentials("1"))).hasMessageContaining("hash");
        assertThatThrownBy(() -> Snapshot.of(json, null, Credentials.NONE)).hasMessageContaining("hash");
        assertThat(Snapshot.of(json, null, credentials("2")).withoutValues().hash())
                .as("it is asked for again")
                .isEqualTo(held.pipelineHash());
    }

    @ParameterizedTest
    @CsvSource({"-1,0", "0,-1", "1000,0", "0,1000", "60,60", "2147483647,2147483647"})
    void aDifferenceThatDoesNotFitIsRefused(int front, int back) throws Exception {
        Snapshot held = Snapshot.of(json(PIPELINE), null, Credentials.NONE);
        ObjectNode json = without(PIPELINE);
        json.putObject("splice")
                .put("base", held.hash())
                .put("front", front)
                .put("back", back)
                .put("middle", "");

        assertThatThrownBy(() -> Snapshot.of(json, held, Credentials.NONE))
                .isInstanceOf(UnusableSnapshotException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "!", "AAAA", "H4sIAAAAAAAA"})
    void whatIsNotCompressedIsRefused(String packed) throws Exception {
        ObjectNode json = without(PIPELINE).put("pipeline_gzip", packed);

        assertThatThrownBy(() -> Snapshot.of(json, null, Credentials.NONE))
                .isInstanceOf(UnusableSnapshotException.class);
    }

    @Test
    void aBombIsRefused() throws Exception {
        ObjectNode json = without(PIPELINE).put("pipeline_gzip", gzip(" ".repeat((64 << 20) + 1)));

        assertThatThrownBy(() -> Snapshot.of(json, null, Credentials.NONE)).hasMessageContaining("more than");
    }
}
