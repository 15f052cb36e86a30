package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.RequestHead;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Determines how the content of a request is signed.
 *
 * @param unsigned whether the configuration asks for unsigned contents
 * @param allowChunked whether the length may be undeclared
 */
record Payloads(boolean unsigned, boolean allowChunked) {

    Payload of(RequestHead head, Inbound inbound) {
        List<String> declared = head.headers().all(Names.CONTENT_SHA256);
        if (declared.size() > 1) {
            return new Payload.Refused(Refusals.malformed("x-amz-content-sha256 occurs more than once"));
        }
        String given = declared.isEmpty() ? inQuery(head, inbound) : declared.getFirst();
        OptionalLong length = head.contentLength();
        boolean empty = length.isPresent() && length.getAsLong() == 0;
        if (given != null && given.startsWith(Names.STREAMING)) {
            return chunked(given, empty);
        }
        if (length.isEmpty() && !allowChunked) {
            return new Payload.Refused(Refusals.CHUNKED);
        }
        if (unsigned && (given == null || !declared.isEmpty())) {
            return new Payload.Fixed(Names.UNSIGNED_PAYLOAD, !inbound.presigned() || !declared.isEmpty());
        }
        return given == null ? undeclared(inbound, empty) : declared(given, empty);
    }

    /** Some clients put this header into the query of a presigned URL. */
    private static @Nullable String inQuery(RequestHead head, Inbound inbound) {
        return inbound.presigned() ? RawQuery.of(head.query()).first(Names.CONTENT_SHA256) : null;
    }

    private static Payload declared(String given, boolean empty) {
        if (given.equals(Names.UNSIGNED_PAYLOAD)) {
            return new Payload.Fixed(given, false);
        }
        if (!Digests.isHash(given)) {
            return new Payload.Refused(Refusals.malformed("x-amz-content-sha256 is neither a hash nor a known marker"));
        }
        if (!empty) {
            return new Payload.Verified(given);
        }
        return given.equals(Digests.EMPTY)
                ? new Payload.Fixed(given, false)
                : new Payload.Refused(Refusals.HASH_MISMATCH);
    }

    private static Payload undeclared(Inbound inbound, boolean empty) {
        boolean objectStore = inbound.scope().objectStore();
        if (inbound.presigned() && objectStore) {
            return new Payload.Fixed(Names.UNSIGNED_PAYLOAD, false);
        }
        // S3 requires the header; other services do not, and the client did not send it.
        return empty ? new Payload.Fixed(Digests.EMPTY, objectStore) : new Payload.Computed(objectStore);
    }

    private static Payload chunked(String marker, boolean empty) {
        Payload known = switch (marker) {
            case Names.STREAMING_PAYLOAD -> new Payload.AwsChunked(marker, true, false);
            case Names.STREAMING_PAYLOAD_TRAILER -> new Payload.AwsChunked(marker, true, true);
            case Names.STREAMING_UNSIGNED_TRAILER -> new Payload.AwsChunked(marker, false, true);
            default ->
                new Payload.Refused(marker.startsWith(Names.STREAMING_V4A) ? Refusals.SIGV4A : Refusals.PAYLOAD_FORM);
        };
        return empty && known instanceof Payload.AwsChunked
                ? new Payload.Refused(Refusals.malformed("there are no chunks"))
                : known;
    }
}
