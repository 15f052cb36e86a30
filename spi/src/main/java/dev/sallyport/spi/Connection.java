package dev.sallyport.spi;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The connection that a request came on. Implemented by the engine and the test kit; immutable. */
public interface Connection {

    /** The listener. */
    ListenerKind listener();

    /** {@code tcp} or {@code tls}: an open set. */
    String transport();

    /** {@code http/1.1}, {@code h2}, {@code tcp}: an open set. */
    String protocol();

    /** The client's address. */
    InetSocketAddress peer();

    /** The server name of the client's TLS handshake (RFC 6066, 3), canonical, or null. */
    @Nullable String sni();

    /** The protocol negotiated by ALPN (RFC 7301), or null. */
    @Nullable String alpn();

    /** The target of the CONNECT or SOCKS5 request, {@code host:port}, as the client stated it, or null. */
    @Nullable String tunnelTarget();

    /** The workload that sends the requests. */
    Principal principal();
}
