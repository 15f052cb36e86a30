package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.spi.Decision;
import java.util.Objects;

/** What a failed body means for the exchange: status and code (docs/spec/decisions.md, sections 4 and 5). */
public record BodyFaults(int status, String code) {

    /** For the body of a request. */
    public static BodyFaults ofRequest(BodyFailure failure) {
        return switch (failure.kind()) {
            case TOO_LARGE -> new BodyFaults(413, "body_too_large");
            case UNSUPPORTED_CODING -> new BodyFaults(415, "unsupported_content_coding");
            case CORRUPT_CODING -> new BodyFaults(400, "corrupt_body");
            case OVER_BUDGET -> new BodyFaults(503, "overloaded");
            case STAGE_FAILED -> new BodyFaults(500, "transform_failed");
            case REJECTED -> of(Objects.requireNonNull(failure.reject()));
            case TIMEOUT -> new BodyFaults(408, "body_timeout");
            case ABORTED -> new BodyFaults(400, "bad_request");
        };
    }

    /** For the body of a response. */
    public static BodyFaults ofResponse(BodyFailure failure) {
        return switch (failure.kind()) {
            case TOO_LARGE -> new BodyFaults(502, "response_too_large");
            case UNSUPPORTED_CODING -> new BodyFaults(502, "unsupported_content_coding");
            case CORRUPT_CODING -> new BodyFaults(502, "upstream_protocol_error");
            case OVER_BUDGET -> new BodyFaults(503, "overloaded");
            case STAGE_FAILED -> new BodyFaults(500, "transform_failed");
            case REJECTED -> of(Objects.requireNonNull(failure.reject()));
            case TIMEOUT -> new BodyFaults(504, "upstream_timeout");
            case ABORTED -> new BodyFaults(502, "upstream_protocol_error");
        };
    }

    private static BodyFaults of(Decision.Reject reject) {
        return new BodyFaults(reject.status(), reject.code());
    }
}
