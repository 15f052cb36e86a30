package dev.sallyport.core.upstream;

import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.parent.Parents;
import dev.sallyport.core.tls.ClientTls;
import java.time.Duration;

/**
 * The settings with which connections are made, and which they must satisfy to be reused. A reload brings a new
 * profile; pooled connections that do not satisfy it are closed.
 *
 * @param limits the limits on connections and on the heads received over them
 * @param timeouts the limits on exchanges with origins that workloads choose; calls to hosts that the operator
 *     configured have their own
 * @param tls towards origins; whoever replaces it closes the previous one
 * @param parents the parent proxies
 */
public record UpstreamProfile(
        ProxySection.Upstream limits,
        OriginTimeouts timeouts,
        NameLookup names,
        ClientTls tls,
        DialGuard guard,
        Parents parents) {

    /**
     * How long an HTTP/2 origin may take to send its first frame: the shorter of the limits on the handshake and on the
     * response.
     */
    Duration settingsTimeout() {
        Duration handshake = limits.tlsHandshakeTimeout();
        return handshake.compareTo(timeouts.head()) < 0 ? handshake : timeouts.head();
    }
}
