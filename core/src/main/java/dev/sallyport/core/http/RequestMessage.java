package dev.sallyport.core.http;

import dev.sallyport.spi.RequestHead;
import dev.sallyport.toolkit.match.Paths;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The head of a request, as it is being edited. Owned by one exchange; not thread-safe. */
public final class RequestMessage implements RequestHead {

    /** Most requests have no body; transforms ask for the length of each. */
    private static final OptionalLong EMPTY_BODY = OptionalLong.of(0);

    /** A body whose length is not declared. */
    public static final long UNKNOWN_LENGTH = -1;

    private String method;
    private String path;
    private @Nullable String query;
    private final HeaderBlock headers;
    private long length;
    private @Nullable String decodedPath;
    private @Nullable String shownPath;
    /** The tail from the question mark on, empty without one; null while it is that of the target. */
    private @Nullable String shownTail;

    /**
     * @param path the raw path, beginning with {@code /} (or {@code *} for OPTIONS)
     * @param query the raw query without question mark; null where the target has no question mark (RFC 3986, 3.4)
     * @param length bytes of the body; 0 for none, {@link #UNKNOWN_LENGTH} when not declared
     */
    public RequestMessage(String method, String path, @Nullable String query, HeaderBlock headers, long length) {
        this.method = method;
        this.path = path;
        this.query = query;
        this.headers = headers;
        this.length = length;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String decodedPath() {
        String decoded = decodedPath;
        if (decoded == null) {
            decoded = Paths.decode(path);
            decodedPath = decoded;
        }
        return decoded;
    }

    @Override
    public String query() {
        return query == null ? "" : query;
    }

    @Override
    public String target() {
        return query == null ? path : path + "?" + query;
    }

    /** As {@link #query()}, but null where the target has no question mark. */
    public @Nullable String queryOrNull() {
        return query;
    }

    @Override
    public HeaderBlock headers() {
        return headers;
    }

    @Override
    public OptionalLong contentLength() {
        if (length == 0) {
            return EMPTY_BODY;
        }
        return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
    }

    /** As {@link #contentLength()}, but {@link #UNKNOWN_LENGTH} when not declared. */
    public long length() {
        return length;
    }

    /** Sets the method. */
    public void method(String newMethod) {
        method = newMethod;
    }

    /** Sets the raw path; a sensitive one is not shown to transforms that disclose content. */
    public void path(String newPath, boolean sensitive) {
        if (sensitive && shownPath == null) {
            shownPath = path;
        }
        path = newPath;
        decodedPath = null;
    }

    /** Sets the raw query, empty for none; a sensitive one is not shown to transforms that disclose content. */
    public void query(String newQuery, boolean sensitive) {
        if (sensitive && shownTail == null) {
            shownTail = tail();
        }
        query = newQuery.isEmpty() ? null : newQuery;
    }

    /** The path as it was before it carried a secret. */
    public String shownPath() {
        return shownPath == null ? path : shownPath;
    }

    /** The query as it was before it carried a secret. */
    public String shownQuery() {
        if (shownTail == null) {
            return query();
        }
        return shownTail.isEmpty() ? "" : shownTail.substring(1);
    }

    /** Path and query as they were before they carried secrets. */
    public String shownTarget() {
        return shownPath() + (shownTail == null ? tail() : shownTail);
    }

    private String tail() {
        return query == null ? "" : "?" + query;
    }

    /** Whether anything in the head carries a secret. */
    public boolean hasSensitive() {
        return shownPath != null || shownTail != null || headers.hasSensitive();
    }

    /** Sets the length of the body. */
    public void length(long newLength) {
        length = newLength;
    }

    /** A copy that later edits do not affect. */
    public RequestMessage copy() {
        RequestMessage copy = new RequestMessage(method, path, query, headers.copy(), length);
        copy.shownPath = shownPath;
        copy.shownTail = shownTail;
        return copy;
    }

    /** Reverts every edit since {@code earlier} was copied; the length stays. */
    public void restore(RequestMessage earlier) {
        method = earlier.method;
        path = earlier.path;
        query = earlier.query;
        decodedPath = null;
        shownPath = earlier.shownPath;
        shownTail = earlier.shownTail;
        headers.restore(earlier.headers);
    }
}
