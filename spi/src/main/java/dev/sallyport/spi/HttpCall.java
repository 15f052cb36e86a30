package dev.sallyport.spi;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A request that a plug-in makes itself. Immutable; its text form shows method and host only. */
public final class HttpCall {

    /** Hosts that {@link URI} does not recognize: names with an underscore, as container networks have them. */
    private static final Pattern NAME_AND_PORT = Pattern.compile("([A-Za-z0-9._-]+)(?::([0-9]{1,5}))?");

    private final String method;
    private final URI uri;
    private final String host;
    private final List<Map.Entry<String, String>> headers;
    private final byte[] body;
    private final Duration timeout;
    private final int maxReplyBytes;

    private HttpCall(Builder builder) {
        method = builder.method;
        uri = builder.uri;
        host = builder.host;
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

    /** The target's host as its URI has it, IPv6 in brackets. */
    public String host() {
        return host;
    }

    /** The target's port, also where its URI has none. */
    public int port() {
        return portOf(uri);
    }

    /**
     * The host of an {@code http} or {@code https} URI (RFC 3986, 3.2.2), or null when it has none. Unlike {@link
     * URI#getHost}, it accepts names with an underscore.
     */
    public static @Nullable String hostOf(URI uri) {
        String known = uri.getHost();
        if (known != null) {
            return known;
        }
        Matcher name = registered(uri);
        return name == null ? null : name.group(1);
    }

    /** The port of an {@code http} or {@code https} URI: its own, or the scheme's. */
    public static int portOf(URI uri) {
        if (uri.getPort() >= 0) {
            return uri.getPort();
        }
        Matcher name = uri.getHost() == null ? registered(uri) : null;
        if (name != null && name.group(2) != null) {
            return Integer.parseInt(name.group(2));
        }
        return "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
    }

    private static @Nullable Matcher registered(URI uri) {
        String authority = uri.getRawAuthority();
        Matcher name = authority == null ? null : NAME_AND_PORT.matcher(authority);
        return name != null && name.matches() ? name : null;
    }

    /** The header lines in order. */
    public List<Map.Entry<String, String>> headers() {
        return headers;
    }

    /** A copy of the body. */
    public byte[] body() {
        return body.clone();
    }

    /** The time limit for the whole call, from dialling to the last byte. */
    public Duration timeout() {
        return timeout;
    }

    /** The longest reply in bytes; a longer one fails the call. */
    public int maxReplyBytes() {
        return maxReplyBytes;
    }

    @Override
    public String toString() {
        return "HttpCall[" + method + " " + host + "]";
    }

    /** Collects a call. Not thread-safe. */
    public static final class Builder {

        private final String method;
        private final URI uri;
        private final String host;
        private final List<Map.Entry<String, String>> headers = new ArrayList<>(4);
        private byte[] body = {};
        private Duration timeout = Duration.ofSeconds(30);
        private int maxReplyBytes = 1 << 20;

        private Builder(String method, URI uri) {
            String named = hostOf(uri);
            if (!uri.isAbsolute() || named == null || !uri.getScheme().matches("(?i)https?")) {
                throw new IllegalArgumentException("uri: no http or https URI with a host (expected: an absolute one)");
            }
            this.method = method;
            this.uri = uri;
            this.host = named;
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

        /** Sets the time limit for the whole call; default 30 s. */
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
