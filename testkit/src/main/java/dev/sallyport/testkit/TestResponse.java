package dev.sallyport.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A response of the upstream. Immutable; each method returns a changed copy. */
public final class TestResponse {

    private final int status;
    private final String reason;
    private final HeaderLines headers;
    private final List<byte[]> chunks;
    private final boolean chunked;
    private final HeaderLines trailers;

    private TestResponse(
            int status,
            String reason,
            HeaderLines headers,
            List<byte[]> chunks,
            boolean chunked,
            HeaderLines trailers) {
        this.status = status;
        this.reason = reason;
        this.headers = headers;
        this.chunks = chunks;
        this.chunked = chunked;
        this.trailers = trailers;
    }

    /** A response without a body. */
    public static TestResponse status(int status) {
        return new TestResponse(status, "", HeaderLines.NONE, List.of(), false, HeaderLines.NONE);
    }

    /** A 200 with this body. */
    public static TestResponse ok(String body) {
        return status(200).body(body);
    }

    /** With a reason phrase. */
    public TestResponse reason(String phrase) {
        return new TestResponse(status, phrase, headers, chunks, chunked, trailers);
    }

    /** With one more header line. */
    public TestResponse header(String name, String value) {
        return new TestResponse(status, reason, headers.with(name, value), chunks, chunked, trailers);
    }

    /** With this body in UTF-8, its length declared. */
    public TestResponse body(String text) {
        return body(text.getBytes(StandardCharsets.UTF_8));
    }

    /** With this body, its length declared. */
    public TestResponse body(byte[] bytes) {
        return new TestResponse(status, reason, headers, List.of(bytes.clone()), false, trailers);
    }

    /** With a body in pieces whose length is not declared. */
    public TestResponse chunks(String... pieces) {
        List<byte[]> all = Arrays.stream(pieces)
                .map(piece -> piece.getBytes(StandardCharsets.UTF_8))
                .toList();
        return new TestResponse(status, reason, headers, all, true, trailers);
    }

    /** With one more trailer field. */
    public TestResponse trailer(String name, String value) {
        return new TestResponse(status, reason, headers, chunks, true, trailers.with(name, value));
    }

    int status() {
        return status;
    }

    String reason() {
        return reason;
    }

    List<byte[]> pieces() {
        return chunks;
    }

    HeaderLines trailers() {
        return trailers;
    }

    long length() {
        return chunked ? -1 : chunks.stream().mapToLong(chunk -> chunk.length).sum();
    }

    HeaderLines headers() {
        return chunked ? headers : headers.with("Content-Length", Long.toString(length()));
    }

    @Override
    public String toString() {
        return "TestResponse[" + status + "]";
    }
}
