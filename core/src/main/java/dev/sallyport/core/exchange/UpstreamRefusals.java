package dev.sallyport.core.exchange;

import dev.sallyport.core.config.Durations;
import dev.sallyport.core.upstream.OriginTimeouts;
import dev.sallyport.core.upstream.UpstreamFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What clients are told of origins that fail. */
final class UpstreamRefusals {

    private UpstreamRefusals() {}

    static Refusal of(UpstreamFailure.Kind kind) {
        return of(kind, null);
    }

    /** @param limits the limits on the exchange; null when it had not begun */
    static Refusal of(UpstreamFailure.Kind kind, @Nullable OriginTimeouts limits) {
        String detail = switch (kind) {
            case UPSTREAM_UNREACHABLE -> "The upstream could not be reached.";
            case UPSTREAM_PROTOCOL_ERROR -> "The upstream broke the protocol.";
            case UPSTREAM_TLS_ERROR -> "No trusted TLS connection to the upstream could be made.";
            case UPSTREAM_WANTS_CLIENT_CERTIFICATE ->
                "The upstream wants a client certificate, and got none: tls.client_certificates can give it one.";
            case UPSTREAM_DENIED -> "The address of the upstream may not be dialled.";
            case UPSTREAM_PROXY_FAILED -> "The parent proxy made no connection with the upstream.";
            case UPSTREAM_PROXY_REFUSED ->
                "The parent proxy makes no connection with this port: resolve: remote in proxy.upstream_proxy would"
                        + " ask it otherwise.";
            case PLAINTEXT_CREDENTIAL -> EngineVerdicts.PLAINTEXT_CREDENTIAL.detail();
            case UPSTREAM_TIMEOUT ->
                "The upstream did not answer in time"
                        + (limits == null ? "." : setting(limits.headSetting(), limits.head()));
            case UPSTREAM_STALLED ->
                "The upstream did not take the body of the request in time"
                        + (limits == null ? "." : setting(OriginTimeouts.BODY_SETTING, limits.body()));
            case OVERLOADED -> "There are too many connections to the upstream.";
        };
        return new Refusal(kind.status(), kind.code(), detail, kind.proxyStatus());
    }

    private static String setting(String name, Duration value) {
        return ": " + name + " is " + Durations.format(value) + ".";
    }
}
