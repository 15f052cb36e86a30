package dev.sallyport.core.explain;

import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.redact.RedactionSettings;
import dev.sallyport.spi.ListenerKind;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What decides about a request besides the transforms.
 *
 * @param mode {@code mitm} or {@code sni-only}
 * @param sniOnly whether TLS is passed through everywhere
 * @param passed whether TLS with a host is passed through
 * @param authRequired whether requests to the proxy itself need a user
 * @param listeners those that are configured
 * @param sniPort the port of connections that are passed through outside of tunnels
 * @param maxHeaders how many header lines a request may have
 * @param caps how much of a body may be buffered
 * @param redaction when credentials are removed from responses
 */
public record ExplainSettings(
        String mode,
        boolean sniOnly,
        Predicate<String> passed,
        boolean authRequired,
        Set<ListenerKind> listeners,
        int sniPort,
        int maxHeaders,
        BodyCaps caps,
        RedactionSettings redaction) {

    public ExplainSettings {
        listeners = Set.copyOf(listeners);
    }
}
