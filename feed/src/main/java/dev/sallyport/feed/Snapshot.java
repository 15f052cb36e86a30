package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot as it came in.
 *
 * @param epoch of the numbers: those of another one cannot be compared
 * @param revision the order number of a change that it contains, with all earlier ones
 * @param pipelineHash SHA-256 of the pipeline, in hexadecimal
 * @param pipeline JSON in the vocabulary of the configuration
 * @param credentials the secrets that the pipeline refers to
 */
record Snapshot(String epoch, long revision, String pipelineHash, String pipeline, Credentials credentials) {

    /** The form that is understood. */
    static final int FORMAT = 1;

    /**
     * Reads one.
     *
     * @param held the one that it may be a difference from; null for none
     * @param credentials the secrets that came with it
     * @throws UnusableSnapshotException unless it is whole, of a known form, and has a gate
     */
    static Snapshot of(JsonNode json, @Nullable Snapshot held, Credentials credentials)
            throws UnusableSnapshotException {
        if (json.path("format").asInt() != FORMAT) {
            throw new UnusableSnapshotException("a snapshot of another form (expected: format " + FORMAT + ")");
        }
        String pipeline = PipelineText.of(json, held);
        Snapshot snapshot = new Snapshot(
                json.path("epoch").asText(), json.path("revision").asLong(), sha256(pipeline), pipeline, credentials);
        if (snapshot.epoch.isEmpty() || snapshot.revision <= 0 || snapshot.pipeline.isEmpty()) {
            throw new UnusableSnapshotException("an empty snapshot (expected: epoch, revision and pipeline)");
        }
        if (!snapshot.hash().equals(json.path("hash").asText())) {
            throw new UnusableSnapshotException("a snapshot that is not what its hash says");
        }
        Pipelines.requireGate(snapshot.pipeline);
        return snapshot;
    }

    /** Tells the pipeline, the secrets and their versions; where values have expired, the pipeline alone. */
    String hash() {
        return credentials.expired() ? pipelineHash : credentials.hash(pipelineHash);
    }

    /** The same, without the values of secrets. */
    Snapshot withoutValues() {
        return new Snapshot(epoch, revision, pipelineHash, pipeline, credentials.withoutValues());
    }

    static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Without the content. */
    @Override
    public String toString() {
        return "Snapshot[" + epoch + ":" + revision + "]";
    }
}
