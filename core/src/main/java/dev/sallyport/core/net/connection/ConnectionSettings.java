package dev.sallyport.core.net.connection;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.spi.Principal;
import java.net.InetSocketAddress;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The settings that all connections share.
 *
 * @param exchanges where requests go
 * @param tls what becomes of TLS
 * @param limits what clients may take
 * @param heads what their heads may take of the memory
 * @param principals who is asking, by the client's address; called on event loops, so it must not block
 * @param users who may show credentials, for requests that come now
 * @param interior what a tunnel begins with
 */
public record ConnectionSettings(
        Exchanges exchanges,
        ClientTlsMode tls,
        ProxyLimits limits,
        HeadBudget heads,
        Function<InetSocketAddress, Principal> principals,
        Supplier<ProxyUsers> users,
        TunnelInterior interior) {}
