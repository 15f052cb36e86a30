package dev.sallyport.spi;

/** The listener that accepted a connection. May grow. */
public enum ListenerKind {
    /** {@code proxy.http_listen}. */
    HTTP,
    /** {@code proxy.https_listen}. */
    HTTPS,
    /** {@code proxy.tunnel_listen}: CONNECT, absolute-form, SOCKS5. */
    TUNNEL
}
