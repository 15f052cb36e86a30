package dev.sallyport.core.upstream;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslHandler;

/** Makes the TLS client of one connection. Thread-safe. */
@FunctionalInterface
public interface TlsHandlers {

    /** A handler that verifies the peer as this host, a canonical name or the text of an address. */
    SslHandler newHandler(ByteBufAllocator allocator, String host, int port);
}
