package dev.sallyport.spi;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A request of a plug-in's own. Immutable; its text form shows method and host only. */
public final class HttpCall {

    private final String method;
    private final URI uri;
    private final List<Map.Entry<String, String>> headers;
    private final byte[] body;
    private final Duration timeout;
    private final int maxReplyBytes;

    private HttpCall(Builder builder) {
        method = builder.method;
        uri = builder.uri;
        headers = List.copyOf(builder.headers);
        body = builder.body;
        timeout = builder.timeout;
        maxReplyBytes = builder.maxReplyBytes;
    }

    /** Starts a call to an absolute {@code http} or {@code https} URI. */
    public static Builder to(String method, URI uri) {
        return new Builder(method, uri);
    }

    /** The method. */
    public String method() {
        return method;
    }

    /** The target. */
    public URI uri() {
        return uri;
    }

    /** The header lines in order. */
    public List<Map.Entry<String, String>> headers() {
        return headers;
    }

    /** A copy of the body. */
    public byte[] body() {
        return body.clone();
    }

    /** The limit for everything, from dialling to the last byte. */
    public Duration timeout() {
        return timeout;
    }

    /** A longer reply fails the call. */
    public int maxReplyBytes() {
        return maxReplyBytes;
    }

    @Override
    public String toString() {
        return "HttpCall[" + method + " " + uri.getHost() + "]";
    }

    /** Collects a call. Not thread-safe. */
    public static final class Builder {

        private final String method;
        private final URI uri;
        private final List<Map.Entry<String, String>> headers = new ArrayList<>(4);
        private byte[] body = {};
        private Duration timeout = Duration.ofSeconds(30);
        private int maxReplyBytes = 1 << 20;

        private Builder(String method, URI uri) {
            if (!uri.isAbsolute() || uri.getHost() == null || !uri.getScheme().matches("(?i)https?")) {
                throw new IllegalArgumentException("uri: no http or https URI with a host (expected: an absolute one)");
            }
            this.method = method;
            this.uri = uri;
        }

        /** Adds a header line. {@code Host} and framing are the engine's. */
        public Builder header(String name, String value) {
            headers.add(Map.entry(name, value));
            return this;
        }

        /** Sets the body in UTF-8. */
        public Builder body(String text) {
            return body(text.getBytes(StandardCharsets.UTF_8));
        }

        /** Sets the body; the array is copied. */
        public Builder body(byte[] bytes) {
            body = bytes.clone();
            return this;
        }

        /** Sets the limit for everything; default 30 s. */
        public Builder timeout(Duration limit) {
            timeout = limit;
            return this;
        }

        /** Sets the longest reply, in bytes; default 1 MiB. */
        public Builder maxReplyBytes(int bytes) {
            maxReplyBytes = bytes;
            return this;
        }

        /** The call. */
        public HttpCall build() {
            return new HttpCall(this);
        }
    }
}
