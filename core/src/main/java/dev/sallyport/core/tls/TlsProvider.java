package dev.sallyport.core.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/** The implementation of TLS. */
public enum TlsProvider {
    /** BoringSSL through netty-tcnative. */
    OPENSSL(SslProvider.OPENSSL_REFCNT),
    /** The JDK's own. */
    JDK(SslProvider.JDK);

    private final SslProvider netty;

    TlsProvider(SslProvider netty) {
        this.netty = netty;
    }

    /** BoringSSL where its library loads, else the JDK's. */
    public static TlsProvider best() {
        return OPENSSL.available() ? OPENSSL : JDK;
    }

    /** Whether it is available on this machine. */
    public boolean available() {
        return this == JDK || (OpenSsl.isAvailable() && OpenSsl.supportsKeyManagerFactory());
    }

    SslProvider netty() {
        return netty;
    }
}
