package dev.sallyport.compare.load;

import java.net.InetSocketAddress;

/**
 * The way to the origin.
 *
 * @param first what is connected to: the proxy, or the origin itself
 * @param proxied whether that is a proxy: it gets CONNECT before TLS, and targets in absolute form without
 * @param host the name of the origin
 * @param tls whether TLS is spoken to the origin, or to the proxy in its stead
 */
public record Route(InetSocketAddress first, boolean proxied, String host, int port, boolean tls) {

    public Route to(String otherHost) {
        return new Route(first, proxied, otherHost, port, tls);
    }

    /** The request target for a path. */
    String target(String path) {
        return proxied && !tls ? "http://" + authority() + path : path;
    }

    String authority() {
        return host + ":" + port;
    }

    /** The head of a request without a body. */
    String get(String path, String... headers) {
        return head("GET", path, headers);
    }

    String head(String method, String path, String... headers) {
        StringBuilder head =
                new StringBuilder(method + " " + target(path) + " HTTP/1.1\r\nHost: " + authority() + "\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        return head.append("\r\n").toString();
    }
}
