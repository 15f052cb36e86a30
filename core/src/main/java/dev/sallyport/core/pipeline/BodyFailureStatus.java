package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.spi.Decision;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a failed body means for the exchange: status and code (docs/spec/decisions.md, sections 4 and 5). */
public record BodyFailureStatus(int status, String code) {

    /** For the body of a request. */
    public static BodyFailureStatus ofRequest(BodyFailure failure) {
        return switch (failure.kind()) {
            case TOO_LARGE -> new BodyFailureStatus(413, "body_too_large");
            case UNSUPPORTED_CODING -> new BodyFailureStatus(415, "unsupported_content_coding");
            case CORRUPT_CODING -> new BodyFailureStatus(400, "corrupt_body");
            case OVER_BUDGET -> new BodyFailureStatus(503, "overloaded");
            case STAGE_FAILED -> new BodyFailureStatus(500, "transform_failed");
            case REJECTED -> of(Objects.requireNonNull(failure.reject()));
            case TIMEOUT -> new BodyFailureStatus(408, "body_timeout");
            case ABORTED -> new BodyFailureStatus(400, "bad_request");
        };
    }

    /** For the body of a response. */
    public static BodyFailureStatus ofResponse(BodyFailure failure) {
        return switch (failure.kind()) {
            case TOO_LARGE -> new BodyFailureStatus(502, "response_too_large");
            case UNSUPPORTED_CODING -> new BodyFailureStatus(502, "unsupported_content_coding");
            case CORRUPT_CODING -> new BodyFailureStatus(502, "upstream_protocol_error");
            case OVER_BUDGET -> new BodyFailureStatus(503, "overloaded");
            case STAGE_FAILED -> new BodyFailureStatus(500, "transform_failed");
            case REJECTED -> of(Objects.requireNonNull(failure.reject()));
            case TIMEOUT -> new BodyFailureStatus(504, "upstream_timeout");
            case ABORTED -> new BodyFailureStatus(502, "upstream_protocol_error");
        };
    }

    /**
     * Corrects the entry of a transform that had let the head pass, or waited for the body: it refused or failed.
     *
     * @param trace null when there is no entry
     */
    void note(@Nullable TransformTrace trace, BodyFailure failure) {
        if (trace == null) {
            return;
        }
        trace.annotate("code", code);
        if (failure.reject() != null) {
            trace.action("reject");
        } else {
            trace.action("error").error(failure.detail());
        }
    }

    private static BodyFailureStatus of(Decision.Reject reject) {
        return new BodyFailureStatus(reject.status(), reject.code());
    }
}
