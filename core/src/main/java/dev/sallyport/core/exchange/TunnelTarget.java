package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.spi.Destination;

/**
 * The target of a tunnel. If the tunnel was refused and opened only to report that inside, each request inside asks
 * again whether the tunnel may lead there: as long as it may not, the request goes nowhere, whatever it says itself;
 * after a reload that allows it, clients that keep the tunnel get through.
 *
 * @param asked the connection that requested the tunnel, as policy saw it
 * @param target the tunnel's target
 */
record TunnelTarget(ConnectionInfo asked, Destination target) {

    /** Repeats the tunnel's request, with its notes kept in the record of a request inside. */
    TunnelRequest ask(MutableAuditRecord record) {
        return new TunnelRequest(asked, target, record);
    }
}
