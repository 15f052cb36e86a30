package dev.sallyport.core.explain;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.net.request.Ingress;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * How a request would reach the proxy.
 *
 * @param ingress what its connection says about the destination
 * @param tunnel the target of the tunnel that it asks for, or comes through, or null
 * @param absolute whether its target is in absolute form
 * @param hostOnly whether nothing but the host is visible
 */
record ExplainedConnection(Ingress ingress, @Nullable Destination tunnel, boolean absolute, boolean hostOnly) {

    private static final InetSocketAddress LOCAL = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /**
     * As clients do it: through the tunnel listener where there is one, else straight to the listener that steered
     * names lead to. A recorded request comes as its record says.
     */
    static ExplainedConnection of(ExplainRequest request, ExplainSettings settings) {
        Destination to = request.destination();
        if (request.isConnect()) {
            return new ExplainedConnection(Ingress.plain(ListenerKind.TUNNEL), to, false, false);
        }
        boolean proxied = !request.recorded() && settings.listeners().contains(ListenerKind.TUNNEL);
        Destination through = proxied && to.secure() ? to : request.tunnel();
        if (!to.secure()) {
            return through == null
                    ? new ExplainedConnection(
                            Ingress.plain(proxied ? ListenerKind.TUNNEL : ListenerKind.HTTP), null, proxied, false)
                    : new ExplainedConnection(
                            Ingress.plain(ListenerKind.TUNNEL).through(through), through, false, false);
        }
        String name = to.literal() ? null : to.host();
        boolean hostOnly =
                settings.sniOnly() || (name != null && settings.passed().test(name));
        Ingress outside = through == null
                ? Ingress.plain(ListenerKind.HTTPS)
                : Ingress.plain(ListenerKind.TUNNEL).through(through);
        return new ExplainedConnection(outside.withTls(name), through, false, hostOnly);
    }

    /** The facts for transforms. */
    ConnectionInfo connection(ExplainRequest request, Principal principal) {
        Destination through = tunnel;
        return new ConnectionInfo(
                ingress.listener(),
                new ConnectionInfo.Endpoints(request.source(), LOCAL),
                ingress.secure() ? new ConnectionInfo.TlsHandshake(ingress.sni(), null) : null,
                hostOnly ? "tls" : "http/1.1",
                through == null || request.isConnect() ? null : through.authority(),
                principal);
    }

    /** Whether the proxy itself is asked, which may want to know by whom. */
    boolean asksProxy(ExplainRequest request) {
        return request.isConnect() || ingress.listener() == ListenerKind.TUNNEL || absolute;
    }
}
