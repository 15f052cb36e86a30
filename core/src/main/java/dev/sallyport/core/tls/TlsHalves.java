package dev.sallyport.core.tls;

import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLEngine;

/**
 * The halves of a TLS connection. Under TLS 1.3 close_notify ends one of them (RFC 8446, 6.1), before that both (RFC 5246,
 * 7.2.1). Netty's engine for BoringSSL ends both all the same.
 */
public final class TlsHalves {

    /** From which on each half ends by itself. */
    public static final String VERSION = "TLSv1.3";

    private TlsHalves() {}

    /** Whether the peer has ended its half and the other is still open. */
    public static boolean isPeersEnded(SslHandler handler) {
        SSLEngine engine = handler.engine();
        return engine.isInboundDone()
                && !(engine instanceof ReferenceCountedOpenSslEngine)
                && VERSION.equals(engine.getSession().getProtocol());
    }
}
