package dev.sallyport.control.proxy;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A proxy, without its token.
 *
 * @param prefix how the token begins, so that people tell tokens apart
 * @param status whether it has been heard of lately
 * @param lastSeenAt null for never
 * @param appliedRevision the order number of a change that it has applied, with all earlier ones; null for none
 * @param problems what of its last snapshot does not work there
 */
public record Proxy(
        String id,
        String name,
        List<String> tags,
        String prefix,
        Status status,
        Instant createdAt,
        @Nullable Instant lastSeenAt,
        @Nullable Long appliedRevision,
        List<Problem> problems) {

    /** Whether a proxy is there. */
    public enum Status {
        /** It has never connected. */
        @JsonProperty("new")
        NEW,
        /** It has been heard of within the last minute. */
        @JsonProperty("connected")
        CONNECTED,
        /** It has not. */
        @JsonProperty("disconnected")
        DISCONNECTED
    }

    /**
     * Why a part of a snapshot does not work.
     *
     * @param policyId the policy that it comes from; null when it is none alone
     * @param pointer the place in the pipeline, a JSON pointer
     */
    public record Problem(@Nullable String policyId, String pointer, String message) {}

    public Proxy {
        tags = List.copyOf(tags);
        problems = List.copyOf(problems);
    }
}
