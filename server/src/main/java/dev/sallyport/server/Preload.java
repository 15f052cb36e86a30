package dev.sallyport.server;

import dev.sallyport.core.tls.TlsProvider;
import io.netty.channel.epoll.Epoll;
import java.net.IDN;

/**
 * What the first exchanges need, whatever the configuration says: BoringSSL, epoll, and Java's tables for names, which
 * every DNS message goes through. Loading them takes a quarter of the start.
 */
public final class Preload {

    private Preload() {}

    /** Loads them on a thread of their own. Whoever needs one before it is there waits for it as usual. */
    public static void begin() {
        Thread.ofPlatform().daemon().name("sallyport-preload").start(() -> {
            Epoll.isAvailable();
            TlsProvider.best();
            IDN.toASCII("sallyport");
        });
    }
}
