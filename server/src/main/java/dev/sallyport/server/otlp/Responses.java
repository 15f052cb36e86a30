package dev.sallyport.server.otlp;

import dev.sallyport.spi.HttpReply;
import io.grpc.Metadata;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What responses of collectors mean (OTLP 1.x: "OTLP/HTTP Response", "OTLP/gRPC Response"). */
final class Responses {

    private static final int PARTIAL_SUCCESS = 1;
    private static final int REJECTED = 1;
    private static final int ERROR_MESSAGE = 2;
    private static final int STATUS_MESSAGE = 2;
    private static final long LONGEST_PAUSE_SECONDS = 60;
    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private Responses() {}

    /** Success, also partial: what was rejected must not be sent again. */
    static Delivery taken(byte[] response) {
        ByteBuffer partial = ProtoFields.bytes(ByteBuffer.wrap(response), PARTIAL_SUCCESS);
        return partial == null
                ? new Delivery.Taken(0, "")
                : new Delivery.Taken(
                        Math.max(0, ProtoFields.number(partial, REJECTED)),
                        Delivery.cut(ProtoFields.text(partial, ERROR_MESSAGE)));
    }

    static Delivery of(HttpReply reply) {
        int status = reply.status();
        if (status >= 200 && status < 300) {
            return taken(reply.body());
        }
        String message = Delivery.cut(ProtoFields.text(ByteBuffer.wrap(reply.body()), STATUS_MESSAGE));
        String why = "HTTP status " + status + (message.isEmpty() ? "" : ": " + message);
        return switch (status) {
            case 429, 502, 503, 504 ->
                new Delivery.Failed(why, pause(reply.headers().first("Retry-After")));
            default -> new Delivery.Refused(why);
        };
    }

    private static Duration pause(@Nullable String seconds) {
        return seconds != null && seconds.matches("[0-9]{1,9}")
                ? Duration.ofSeconds(Math.min(LONGEST_PAUSE_SECONDS, Long.parseLong(seconds)))
                : Duration.ZERO;
    }

    static Delivery of(Status status, Metadata trailers) {
        String description = status.getDescription();
        String why = "gRPC status " + status.getCode()
                + (description == null || description.isEmpty() ? "" : ": " + Delivery.cut(description));
        return switch (status.getCode()) {
            case CANCELLED, DEADLINE_EXCEEDED, ABORTED, OUT_OF_RANGE, UNAVAILABLE, DATA_LOSS ->
                new Delivery.Failed(why, Duration.ZERO);
            // With details: a RetryInfo says that the collector can recover.
            case RESOURCE_EXHAUSTED ->
                trailers.containsKey(DETAILS) ? new Delivery.Failed(why, Duration.ZERO) : new Delivery.Refused(why);
            default -> new Delivery.Refused(why);
        };
    }
}
