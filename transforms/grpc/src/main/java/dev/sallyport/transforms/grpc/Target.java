package dev.sallyport.transforms.grpc;

import dev.sallyport.toolkit.match.Hosts;
import dev.sallyport.toolkit.match.InvalidHostException;

/**
 * The address of a server.
 *
 * @param host canonical; IPv6 without brackets
 */
record Target(String host, int port) {

    private static final String EXPECTED = "host:port, such as policy.example.com:9000";

    /** Why a text is not a target. */
    static final class MalformedException extends Exception {

        private static final long serialVersionUID = 1L;

        private final String problem;
        private final String expected;

        MalformedException(String problem, String expected) {
            super(problem, null, false, false);
            this.problem = problem;
            this.expected = expected;
        }

        String problem() {
            return problem;
        }

        String expected() {
            return expected;
        }
    }

    static Target parse(String text) throws MalformedException {
        if (text.isBlank()) {
            throw malformed("empty");
        }
        int scheme = text.indexOf("://");
        if (scheme >= 0) {
            throw new MalformedException(
                    "it begins with the scheme " + text.substring(0, scheme + 3),
                    EXPECTED + "; tls.enabled enables TLS");
        }
        if (text.startsWith("unix:") || text.startsWith("unix-abstract:")) {
            throw malformed("a Unix socket");
        }
        if (text.indexOf('/') >= 0) {
            throw malformed("holds a path");
        }
        int colon = text.lastIndexOf(':');
        if (colon < 0 || text.endsWith("]")) {
            throw malformed("it has no port");
        }
        String host = text.substring(0, colon);
        if (host.isEmpty()) {
            throw malformed("it has no host");
        }
        if (host.indexOf(':') >= 0 && !host.startsWith("[")) {
            throw new MalformedException(
                    "it is an IPv6 address without brackets", "[address]:port, such as [2001:db8::1]:9000");
        }
        try {
            return new Target(Hosts.canonical(host), port(text.substring(colon + 1)));
        } catch (InvalidHostException e) {
            throw new MalformedException("host: " + e.reason(), e.expected());
        }
    }

    private static int port(String text) throws MalformedException {
        if (text.matches("[0-9]{1,5}")) {
            int port = Integer.parseInt(text);
            if (port >= 1 && port <= 65535) {
                return port;
            }
        }
        throw new MalformedException("the port is invalid", "1 to 65535");
    }

    private static MalformedException malformed(String problem) {
        return new MalformedException(problem, EXPECTED);
    }

    /** As in a URI: IPv6 in brackets. */
    String authority() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    @Override
    public String toString() {
        return authority();
    }
}
