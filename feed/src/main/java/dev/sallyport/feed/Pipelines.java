package dev.sallyport.feed;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.PipelineSpec;

/** The pipelines in snapshots. */
final class Pipelines {

    /** Takes texts of the length that an event may have: a pipeline is one of them. */
    static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(EventReader.LONGEST)
                    .build())
            .build());

    private static final String GATE = "allowlist";
    private static final String TRANSFORMS = "transforms";

    private Pipelines() {}

    /** Refuses a pipeline that does not begin with a gate: nobody compiles one without. */
    static void requireGate(String pipeline) throws UnusableSnapshotException {
        JsonNode first = parsed(pipeline).path(TRANSFORMS).path(0);
        if (!first.path("name").asText().equals(GATE)) {
            throw new UnusableSnapshotException("a pipeline without a gate (expected: allowlist, first)");
        }
    }

    /** A pipeline as the proxy takes it: where the file has a gate of its own, its operator has decided. */
    static PipelineSpec spec(String pipeline) {
        return PipelineSpec.of(pipeline).yielding(GATE);
    }

    private static JsonNode parsed(String pipeline) throws UnusableSnapshotException {
        try {
            return JSON.readTree(pipeline);
        } catch (JsonProcessingException e) {
            throw new UnusableSnapshotException("a pipeline that is not JSON");
        }
    }
}
