package dev.sallyport.feed;

import java.time.Duration;

/** Settings of proxies elsewhere. */
final class ControlPlanes {

    private ControlPlanes() {}

    /** A control plane at a port of this machine; nothing is kept on disk. */
    static ControlPlaneConfig at(int port) {
        return new ControlPlaneConfig(
                "http://127.0.0.1:" + port,
                "TOKEN",
                null,
                null,
                null,
                Duration.ofDays(7),
                Duration.ofDays(1),
                null,
                null,
                null);
    }
}
