package dev.sallyport.core.net.connection;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.net.request.CallerSelection;
import dev.sallyport.core.net.request.ProxyUsers;
import java.net.InetSocketAddress;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The settings that all connections share.
 *
 * @param exchanges receives the requests
 * @param tls how TLS is handled
 * @param limits the limits for clients
 * @param heads the memory budget for their heads
 * @param callers identifies the workload by the client's address, and by the user that it authenticates as; called on
 *     event loops, so it must not block
 * @param users the users that may authenticate, for requests that come now
 * @param interior makes the first stage inside a tunnel
 */
public record ConnectionSettings(
        Exchanges exchanges,
        ClientTlsMode tls,
        ProxyLimits limits,
        HeadBudget heads,
        Function<InetSocketAddress, CallerSelection> callers,
        Supplier<ProxyUsers> users,
        TunnelInterior interior) {}
