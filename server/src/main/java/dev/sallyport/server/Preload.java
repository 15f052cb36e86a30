package dev.sallyport.server;

import dev.sallyport.core.tls.TlsProvider;
import io.netty.channel.epoll.Epoll;
import java.net.IDN;

/**
 * Loads what the first exchanges need with any configuration: BoringSSL, epoll, and Java's IDN tables, which every DNS
 * message needs. Loading them takes a quarter of the start-up time.
 */
public final class Preload {

    private Preload() {}

    /** Loads them on a separate thread. Code that needs one earlier waits for it as usual. */
    public static void begin() {
        Thread.ofPlatform().daemon().name("sallyport-preload").start(() -> {
            Epoll.isAvailable();
            TlsProvider.best();
            IDN.toASCII("sallyport");
        });
    }
}
