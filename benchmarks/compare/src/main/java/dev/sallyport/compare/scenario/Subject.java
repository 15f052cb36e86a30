package dev.sallyport.compare.scenario;

import dev.sallyport.compare.load.Route;
import dev.sallyport.compare.peer.Peer;
import dev.sallyport.compare.peer.Running;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A peer that is being measured.
 *
 * @param running null if the peer is no proxy at all
 */
public record Subject(Peer peer, @Nullable Running running, Site site) implements AutoCloseable {

    /**
     * The origin's name and ports.
     *
     * @param securePort for TLS with HTTP/1.1 alone
     * @param modernPort for TLS with HTTP/2 too
     */
    public record Site(String host, int plainPort, int securePort, int modernPort) {}

    /** The way to the origin over plain HTTP. */
    public Route plain() {
        return route(site.plainPort(), false);
    }

    /** The way to the origin over TLS; it speaks HTTP/1.1, so that proxies with and without HTTP/2 do the same work. */
    public Route secure() {
        return route(site.securePort(), true);
    }

    /** The way to the origin over TLS; it speaks HTTP/2 with those who can. */
    public Route modern() {
        return route(site.modernPort(), true);
    }

    private Route route(int port, boolean tls) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        return running == null
                ? new Route(new InetSocketAddress(loopback, port), false, site.host(), port, tls)
                : new Route(new InetSocketAddress(loopback, running.port()), true, site.host(), port, tls);
    }

    /** 0 without a proxy. */
    public double cpuSeconds() throws IOException {
        return running == null ? 0 : running.cpuSeconds();
    }

    /** 0 without a proxy. */
    public double rssMib() throws IOException {
        return running == null ? 0 : running.rssMib();
    }

    @Override
    public void close() throws InterruptedException {
        if (running != null) {
            running.close();
        }
    }
}
