package dev.sallyport.core.upstream;

import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.tls.ClientTls;
import java.time.Duration;

/**
 * How connections are made and what they must satisfy to be used again. A reload brings a new one; pooled connections
 * that it would not have made are closed.
 *
 * @param limits of connections, and of the heads that come over them
 * @param timeouts of exchanges with the origins that workloads choose; calls to what the operator configured have limits
 *     of their own
 * @param tls whoever replaces it closes the former one
 */
public record UpstreamProfile(
        ProxySection.Upstream limits, OriginTimeouts timeouts, NameLookup names, ClientTls tls, DialGuard guard) {

    /** How long an origin of HTTP/2 may take for its first frame: as long as for a handshake, and as for a response. */
    Duration settingsTimeout() {
        Duration handshake = limits.tlsHandshakeTimeout();
        return handshake.compareTo(timeouts.head()) < 0 ? handshake : timeouts.head();
    }
}
