package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.spi.Destination;

/**
 * The target of a refused tunnel that was opened only to report the refusal inside. Each request inside asks again
 * whether the tunnel may lead there: as long as it may not, the request goes nowhere, whatever it says itself; after a
 * reload that allows it, clients that keep the tunnel get through.
 *
 * @param asked the connection that requested the tunnel, as policy saw it
 * @param target the tunnel's target
 */
record RefusedTunnelTarget(ConnectionInfo asked, Destination target) {

    /** Repeats the tunnel's request, with its notes kept in the record of a request inside. */
    TunnelRequest ask(String exchangeId, AuditRecord record) {
        return new TunnelRequest(exchangeId, asked, target, record);
    }
}
