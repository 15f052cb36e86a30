package dev.sallyport.core.exchange;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.UpgradeTokens;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Paths;
import org.jspecify.annotations.Nullable;

/** The verdicts of the engine itself, for exchanges and for what explains them. Pure functions. */
public final class EngineVerdicts {

    /** A transform has answered a connection of which only the host is known. */
    public static final Refusal STUB_NOT_POSSIBLE =
            new Refusal(403, "stub_not_possible", "There is no request that could be answered.", "http_request_denied");

    /** A credential would leave without TLS, and not to a near address. */
    public static final Refusal PLAINTEXT_CREDENTIAL = new Refusal(
            403,
            "plaintext_credential",
            "A credential would leave without TLS, for an address that is not a loopback, private or link-local one."
                    + " Use https, or have the credential's entry say allow_plaintext: true.",
            "http_request_denied");

    /** A credential was deleted while the request that carries it waited. */
    static final Decision.Reject SECRET_DELETED = Decision.reject(
            403, "secret_unavailable", "A credential needed by this request is not available any more.");

    /** TLS to the proxy's own site, which nobody else serves, would be passed through. */
    public static final Refusal LOCAL_SITE_PASSED = LocalSite.PASSED;

    /** RFC 9110, 9.3.8: the response to TRACE is the request. */
    private static final Refusal ECHO = new Refusal(
            403,
            "trace_with_credential",
            "A TRACE request cannot carry a credential, because the origin would send it back.",
            "http_request_denied");

    private EngineVerdicts() {}

    /** Whether the proxy itself answers requests to this destination, without policy. */
    public static boolean isLocal(Destination destination) {
        return LocalSite.serves(destination);
    }

    /** Why a request is refused before any transform is asked, or null. */
    public static @Nullable Refusal beforePolicy(Generation generation, RequestMessage head, Destination destination) {
        if (Paths.isPlainlyRead(head.path())) {
            return null;
        }
        String rule = generation.ambiguousRule(destination, head);
        return rule == null
                ? null
                : new Refusal(
                        400,
                        "ambiguous_path",
                        "The path can be read in two ways, and they differ for " + rule + ".",
                        "http_request_error");
    }

    /**
     * Why a request is refused after every transform has let it pass, or null.
     *
     * @param unlisted the protocol to which it asks to switch and that no rule lists, or null
     */
    public static @Nullable Refusal beforeForwarding(RequestMessage head, @Nullable String unlisted) {
        if (head.method().equalsIgnoreCase("TRACE") && head.hasSensitive()) {
            return ECHO;
        }
        return unlisted == null ? null : UnlistedUpgrade.refusal(unlisted);
    }

    /** The protocol to which a request asks to switch, other than WebSocket, if no rule lists it; else null. */
    public static @Nullable String unlisted(
            Generation generation, Destination destination, RequestMessage head, @Nullable String upgrade) {
        return upgrade == null
                        || UpgradeTokens.WEBSOCKET.equals(upgrade)
                        || generation.allowsUpgrade(destination, head, upgrade)
                ? null
                : upgrade;
    }

    /** The refusal of a request whose origin cannot be used. */
    public static Refusal upstream(UpstreamFailure.Kind kind) {
        return UpstreamRefusals.of(kind);
    }
}
