package dev.sallyport.core.explain;

import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.InvalidHostException;
import dev.sallyport.toolkit.match.Paths;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to be explained. Immutable.
 *
 * <p>{@link #builder(String, String)} starts one as a client would send it, {@link #recorded} one of which an audit
 * record is all that is known: transforms that look at its headers or its body then leave the verdict open.
 */
public final class ExplainRequest {

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final String CONNECT = "CONNECT";
    private static final String URL = "an http or https URL, such as https://api.example.com/v1";

    private final String method;
    private final Destination destination;
    private final String authority;
    private final String target;
    private final List<Map.Entry<String, String>> headers;
    private final byte[] body;
    private final String workload;
    private final String user;
    private final InetSocketAddress source;
    private final boolean live;
    private final @Nullable Destination tunnel;
    private final boolean recorded;

    private ExplainRequest(Builder from, Destination destination, String authority, String target) {
        this.method = from.method;
        this.destination = destination;
        this.authority = authority;
        this.target = target;
        this.headers = List.copyOf(from.headers);
        this.body = from.body;
        this.workload = from.workload;
        this.user = from.user;
        this.source = new InetSocketAddress(
                from.source == null ? InetAddress.getLoopbackAddress() : from.source, from.sourcePort);
        this.live = from.live;
        this.tunnel = from.tunnel;
        this.recorded = from.recorded;
    }

    /**
     * Starts a request.
     *
     * @param method as a client would send it; {@code CONNECT} for the opening of a tunnel
     * @param url absolute; for {@code CONNECT} {@code host:port} is enough
     */
    public static Builder builder(String method, String url) {
        return new Builder(method, url);
    }

    /**
     * Starts a request of which only a record is known.
     *
     * @param method empty for a TLS connection that was passed through
     * @param destination what was asked for
     * @param target path and query as they were sent; empty when they are not known
     * @param tunnel the target of the tunnel that it came through; null for none
     */
    public static Builder recorded(
            String method, Destination destination, String target, @Nullable Destination tunnel) {
        Builder builder = new Builder(method, "");
        builder.recorded = true;
        builder.tunnel = tunnel;
        builder.destination = destination;
        builder.target = target;
        return builder;
    }

    String method() {
        return method;
    }

    boolean isConnect() {
        return method.equals(CONNECT);
    }

    Destination destination() {
        return destination;
    }

    /** As a client writes it: without the port that goes without saying. */
    String authority() {
        return authority;
    }

    /** Path and query, as they are sent. */
    String target() {
        return target;
    }

    List<Map.Entry<String, String>> headers() {
        return headers;
    }

    byte[] body() {
        return body;
    }

    /** The workload that it is said to be of; empty for none. */
    public String workload() {
        return workload;
    }

    /** The user that authenticates; empty for none. */
    public String user() {
        return user;
    }

    /** Where the connection comes from. */
    public InetSocketAddress source() {
        return source;
    }

    /** Whether the destination is resolved, and whoever is needed for a verdict is asked. */
    public boolean isLive() {
        return live;
    }

    /** The target of the tunnel that a recorded request came through, or null. */
    @Nullable Destination tunnel() {
        return tunnel;
    }

    /** Whether headers and body are not known. */
    boolean recorded() {
        return recorded;
    }

    /** Whether requests of this kind have no body, whatever the record does not tell. */
    boolean bodiless() {
        return method.equals("GET") || method.equals("HEAD") || method.equals("OPTIONS");
    }

    /** Without headers and body, which may hold a secret. */
    @Override
    public String toString() {
        return "ExplainRequest[" + method + " " + destination + target + "]";
    }

    /** Collects a request. Not thread-safe. */
    public static final class Builder {

        private final String method;
        private final String url;
        private final List<Map.Entry<String, String>> headers = new ArrayList<>();
        private final List<InvalidRequestException.Problem> problems = new ArrayList<>();
        private byte[] body = {};
        private String workload = "";
        private String user = "";
        private @Nullable InetAddress source;
        private int sourcePort;
        private boolean live;
        private @Nullable Destination tunnel;
        private boolean recorded;
        private @Nullable Destination destination;
        private String target = "";

        private Builder(String method, String url) {
            this.method = method;
            this.url = url;
        }

        /** Adds a header line. Without {@code Host} and {@code Content-Length} the request gets what a client sends. */
        public Builder header(String name, String value) {
            headers.add(Map.entry(name, value));
            return this;
        }

        /** The body, as it is on the wire; default: none. */
        public Builder body(byte[] bytes) {
            body = bytes.clone();
            return this;
        }

        /** The workload that sends it; default: none in particular. */
        public Builder workload(String name) {
            workload = name;
            return this;
        }

        /** The user of {@code proxy.auth} that sends it; default: nobody. */
        public Builder user(String name) {
            user = name;
            return this;
        }

        /** The client's address; default: the loopback address. */
        public Builder source(InetAddress address, int port) {
            source = address;
            sourcePort = port;
            return this;
        }

        /** Whether to resolve the destination, and to ask and mint what a verdict needs. */
        public Builder live(boolean ask) {
            live = ask;
            return this;
        }

        /**
         * The request.
         *
         * @throws InvalidRequestException with everything that is wrong
         */
        public ExplainRequest build() throws InvalidRequestException {
            if (!FieldSyntax.isToken(method) && !(recorded && method.isEmpty())) {
                problem("method", "not a method (expected: GET, POST, ...)");
            }
            headers();
            if (!workload.isEmpty() && !user.isEmpty()) {
                problem("user", "a user and a workload (expected: one of them)");
            }
            Destination to = destination;
            ExplainRequest made = to == null ? parsed() : new ExplainRequest(this, to, authority(to), target);
            if (made == null || !problems.isEmpty()) {
                throw new InvalidRequestException(problems);
            }
            return made;
        }

        private void problem(String field, String message) {
            problems.add(new InvalidRequestException.Problem(field, message));
        }

        private void headers() {
            for (Map.Entry<String, String> line : headers) {
                String name = line.getKey();
                if (!FieldSyntax.isToken(name)) {
                    problem("headers", "a name that is no token");
                } else if (!FieldSyntax.isValue(line.getValue())) {
                    problem("headers", name + ": a value with a control character");
                } else if (name.equalsIgnoreCase("Proxy-Authorization")) {
                    problem("headers", name + ": credentials are not needed (expected: the user's name in user)");
                } else if (name.equalsIgnoreCase("Content-Length")) {
                    problem("headers", name + ": the body's length is known (expected: no such header)");
                }
            }
        }

        private @Nullable ExplainRequest parsed() {
            String rest = url;
            boolean connect = method.equals(CONNECT);
            boolean secure = connect;
            int scheme = url.indexOf("://");
            if (scheme >= 0) {
                String name = url.substring(0, scheme).toLowerCase(Locale.ROOT);
                secure = name.equals("https") || name.equals("wss");
                if (!secure && !name.equals("http") && !name.equals("ws")) {
                    problem("url", "the scheme " + name + " (expected: " + URL + ")");
                    return null;
                }
                rest = url.substring(scheme + "://".length());
            } else if (!connect) {
                problem("url", "no scheme (expected: " + URL + ")");
                return null;
            }
            int fragment = rest.indexOf('#');
            rest = fragment < 0 ? rest : rest.substring(0, fragment);
            int path = firstOf(rest, '/', '?');
            try {
                boolean tls = secure || connect;
                Destination to = Destinations.fromAuthority(rest.substring(0, path), tls ? HTTPS_PORT : HTTP_PORT, tls);
                String tail = octets(rest.substring(path));
                String sent = tail.startsWith("/") ? tail : "/" + tail;
                if (!FieldSyntax.isTargetText(sent, "")) {
                    problem("url", "a character that must be percent-encoded (expected: " + URL + ")");
                    return null;
                }
                return new ExplainRequest(this, to, authority(to), connect ? "" : sent);
            } catch (InvalidHostException e) {
                problem("url", e.reason() + " (expected: " + URL + ")");
                return null;
            }
        }

        /** What a client sends that encodes nothing but what a target cannot hold. */
        private static String octets(String text) {
            return Paths.encodeOctets(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
        }

        private static int firstOf(String text, char one, char other) {
            for (int i = 0; i < text.length(); i++) {
                if (text.charAt(i) == one || text.charAt(i) == other) {
                    return i;
                }
            }
            return text.length();
        }

        private static String authority(Destination to) {
            int usual = to.secure() ? HTTPS_PORT : HTTP_PORT;
            String whole = to.authority();
            return to.port() == usual ? whole.substring(0, whole.lastIndexOf(':')) : whole;
        }
    }
}
