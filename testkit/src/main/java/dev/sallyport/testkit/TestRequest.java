package dev.sallyport.testkit;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import dev.sallyport.spi.Visibility;
import dev.sallyport.toolkit.match.Destinations;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request that a workload sends. Immutable; each method returns a changed copy. */
public final class TestRequest {

    private final String method;
    private final Destination destination;
    private final String path;
    private final @Nullable String query;
    private final HeaderLines headers;
    private final List<byte[]> chunks;
    private final boolean chunked;
    private final HeaderLines trailers;
    private final Principal principal;
    private final Visibility visibility;

    private TestRequest(
            String method,
            Destination destination,
            String path,
            @Nullable String query,
            HeaderLines headers,
            List<byte[]> chunks,
            boolean chunked,
            HeaderLines trailers,
            Principal principal,
            Visibility visibility) {
        this.method = method;
        this.destination = destination;
        this.path = path;
        this.query = query;
        this.headers = headers;
        this.chunks = chunks;
        this.chunked = chunked;
        this.trailers = trailers;
        this.principal = principal;
        this.visibility = visibility;
    }

    /**
     * A request without a body.
     *
     * @param url absolute, {@code http} or {@code https}; path and query go on the wire as they are given, without
     *     being encoded
     */
    public static TestRequest of(String method, String url) {
        boolean secure = url.startsWith("https://");
        if (!secure && !url.startsWith("http://")) {
            throw new IllegalArgumentException("url: no absolute http or https URL (expected: https://host/path)");
        }
        int from = url.indexOf("//") + 2;
        int slash = url.indexOf('/', from);
        String authority = slash < 0 ? url.substring(from) : url.substring(from, slash);
        String target = slash < 0 ? "/" : url.substring(slash);
        int mark = target.indexOf('?');
        Destination destination = Destinations.fromAuthority(authority, secure ? 443 : 80, secure);
        return new TestRequest(
                method,
                destination,
                mark < 0 ? target : target.substring(0, mark),
                mark < 0 ? null : target.substring(mark + 1),
                HeaderLines.NONE.with("Host", authority),
                List.of(),
                false,
                HeaderLines.NONE,
                Principal.anonymous(),
                Visibility.FULL);
    }

    /** A GET. */
    public static TestRequest get(String url) {
        return of("GET", url);
    }

    /** A POST with a body in UTF-8. */
    public static TestRequest post(String url, String contentType, String body) {
        return of("POST", url).header("Content-Type", contentType).body(body.getBytes(StandardCharsets.UTF_8));
    }

    /** A connection that is passed through with TLS intact, of which a transform sees only the host. */
    public static TestRequest hostOnly(String host) {
        Destination destination = Destinations.fromAuthority(host, 443, true);
        return new TestRequest(
                "",
                destination,
                "",
                "",
                HeaderLines.NONE,
                List.of(),
                false,
                HeaderLines.NONE,
                Principal.anonymous(),
                Visibility.HOST_ONLY);
    }

    /** With one more header line. */
    public TestRequest header(String name, String value) {
        return copy(headers.with(name, value), chunks, chunked, trailers, principal);
    }

    /** With this body, its length declared. */
    public TestRequest body(byte[] bytes) {
        return copy(headers, List.of(bytes.clone()), false, trailers, principal);
    }

    /** With this body in UTF-8, its length declared. */
    public TestRequest body(String text) {
        return body(text.getBytes(StandardCharsets.UTF_8));
    }

    /** With a body in pieces whose length is not declared. */
    public TestRequest chunks(String... pieces) {
        List<byte[]> all = Arrays.stream(pieces)
                .map(piece -> piece.getBytes(StandardCharsets.UTF_8))
                .toList();
        return copy(headers, all, true, trailers, principal);
    }

    /** The same body in pieces of this size, its length declared as before. */
    public TestRequest inPieces(int size) {
        List<byte[]> pieces = new ArrayList<>();
        for (byte[] chunk : chunks) {
            for (int from = 0; from < chunk.length; from += size) {
                pieces.add(Arrays.copyOfRange(chunk, from, Math.min(chunk.length, from + size)));
            }
        }
        return copy(headers, List.copyOf(pieces), chunked, trailers, principal);
    }

    /** With one more trailer field, so that the body's length is not declared. */
    public TestRequest trailer(String name, String value) {
        return copy(headers, chunks, true, trailers.with(name, value), principal);
    }

    /** Sent by this workload. */
    public TestRequest from(Principal workload) {
        return copy(headers, chunks, chunked, trailers, Objects.requireNonNull(workload, "workload"));
    }

    private TestRequest copy(
            HeaderLines newHeaders,
            List<byte[]> newChunks,
            boolean newChunked,
            HeaderLines newTrailers,
            Principal newPrincipal) {
        return new TestRequest(
                method,
                destination,
                path,
                query,
                newHeaders,
                newChunks,
                newChunked,
                newTrailers,
                newPrincipal,
                visibility);
    }

    String method() {
        return method;
    }

    Destination destination() {
        return destination;
    }

    String path() {
        return path;
    }

    @Nullable String query() {
        return query;
    }

    List<byte[]> pieces() {
        return chunks;
    }

    HeaderLines trailers() {
        return trailers;
    }

    Principal principal() {
        return principal;
    }

    Visibility visibility() {
        return visibility;
    }

    /** Bytes of the body, -1 when not declared. */
    long length() {
        return chunked ? -1 : chunks.stream().mapToLong(chunk -> chunk.length).sum();
    }

    /** The header lines with the one that declares the length. */
    HeaderLines headers() {
        return length() > 0 ? headers.with("Content-Length", Long.toString(length())) : headers;
    }

    @Override
    public String toString() {
        return method + " " + destination + path;
    }
}
