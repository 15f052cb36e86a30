package dev.sallyport.core.exchange;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a request that asks to switch to a protocol which no rule lists. An origin would answer without a switch,
 * which does for clients that offer a newer HTTP or TLS. Docker's waits for ever on such an answer, while the command that it
 * has started runs, and that of Kubernetes shows what the origin makes of it: these are told what would let them pass.
 */
final class UnlistedUpgrade {

    /** In lower case: as docker asks, and as kubectl does. */
    private static final Set<String> INDISPENSABLE = Set.of("tcp", "spdy/3.1");

    private UnlistedUpgrade() {}

    /**
     * The refusal, or null where the request goes on without the field.
     *
     * @param protocol all that the field holds
     */
    static @Nullable Refusal refusal(String protocol) {
        String name = protocol.toLowerCase(Locale.ROOT);
        return INDISPENSABLE.contains(name)
                ? new Refusal(
                        403,
                        "upgrade_not_allowed",
                        "The request asks to switch to " + protocol
                                + ", for which a rule of the allowlist that matches it must say upgrade: [" + name
                                + "].",
                        "http_request_denied")
                : null;
    }
}
