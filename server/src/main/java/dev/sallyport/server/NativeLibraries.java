package dev.sallyport.server;

import dev.sallyport.core.tls.TlsProvider;
import io.netty.channel.epoll.Epoll;

/** BoringSSL and epoll. Loading them takes a fifth of the start; nothing of it needs to wait for the configuration. */
public final class NativeLibraries {

    private NativeLibraries() {}

    /** Loads them on a thread of their own. Whoever needs one before it is there waits for it as usual. */
    public static void loadMeanwhile() {
        Thread.ofPlatform().daemon().name("sallyport-native").start(() -> {
            Epoll.isAvailable();
            TlsProvider.best();
        });
    }
}
