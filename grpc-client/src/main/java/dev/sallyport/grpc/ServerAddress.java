package dev.sallyport.grpc;

/**
 * Where a server is.
 *
 * @param host a canonical name or address; IPv6 without brackets
 * @param secure whether TLS is spoken with it
 */
public record ServerAddress(String host, int port, boolean secure) {

    /** As in a URI: IPv6 in brackets. */
    String authority() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
