package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** The pipeline in a snapshot, in whichever form it came: as it is, compressed, or as what differs from another one. */
final class PipelineText {

    /** The longest pipeline, in bytes. */
    private static final int LONGEST = 64 << 20;

    private PipelineText() {}

    /**
     * The text; empty when there is none.
     *
     * @param held what is there already; null for nothing
     * @throws UnusableSnapshotException when it cannot be made
     */
    static String of(JsonNode json, @Nullable Snapshot held) throws UnusableSnapshotException {
        if (json.has("splice")) {
            return spliced(json.path("splice"), held);
        }
        if (json.has("pipeline_hash")) {
            return unchanged(json.path("pipeline_hash").asText(), held);
        }
        return json.has("pipeline_gzip")
                ? unpacked(json.path("pipeline_gzip").asText())
                : json.path("pipeline").asText();
    }

    /** Secrets alone have changed. */
    private static String unchanged(String hash, @Nullable Snapshot held) throws UnusableSnapshotException {
        if (held == null || !held.pipelineHash().equals(hash)) {
            throw new UnusableSnapshotException("a snapshot with a pipeline that is not here");
        }
        return held.pipeline();
    }

    private static String spliced(JsonNode splice, @Nullable Snapshot held) throws UnusableSnapshotException {
        if (held == null || !held.pipelineHash().equals(splice.path("base").asText())) {
            throw new UnusableSnapshotException("a difference from a snapshot that is not here");
        }
        String base = held.pipeline();
        int front = splice.path("front").asInt(-1);
        int back = splice.path("back").asInt(-1);
        if (front < 0 || back < 0 || front > base.length() - back) {
            throw new UnusableSnapshotException("a difference that does not fit");
        }
        return base.substring(0, front) + splice.path("middle").asText() + base.substring(base.length() - back);
    }

    private static String unpacked(String base64) throws UnusableSnapshotException {
        try (InputStream in =
                new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(base64)))) {
            byte[] bytes = in.readNBytes(LONGEST + 1);
            if (bytes.length > LONGEST) {
                throw new UnusableSnapshotException("a pipeline of more than " + LONGEST + " bytes");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException | IllegalArgumentException e) {
            throw new UnusableSnapshotException("a pipeline that cannot be decompressed");
        }
    }
}
