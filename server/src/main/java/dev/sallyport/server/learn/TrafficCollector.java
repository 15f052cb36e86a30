package dev.sallyport.server.learn;

import dev.sallyport.server.record.RecordedExchange;
import dev.sallyport.server.record.RecordedTransform;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.PathProblem;
import dev.sallyport.toolkit.match.Paths;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects from audit records the requests that a policy is to let through: those that were let through, with a warning
 * too; with those that an allowlist refused when told so. Counts the others by reason. Not thread-safe.
 */
public final class TrafficCollector implements Consumer<RecordedExchange> {

    private static final String ALLOWLIST = "allowlist";
    /** In {@code stubbed_by}: the pages of the proxy itself. */
    private static final String OWN_PAGES = "sallyport";

    private static final String CONNECT = "CONNECT";
    private static final int MAX_PATTERN = 2048;
    private static final int HTTPS = 443;

    /** Notes with which transforms say that a request got a credential. */
    private static final Set<String> CREDENTIAL_NOTES = Set.of("swapped", "injected", "signed");

    /** Transforms that are asked about a request only where they add a credential, or answer it themselves. */
    private static final Set<String> MINTING =
            Set.of("oauth_token", "svcacct_auth", "gcp_auth", "gcp_id_token", "sigv4_auth", "aws_auth", "hmac_sign");

    private final SortedMap<ObservedRequest, Long> requests = new TreeMap<>();
    private final Set<String> credentialed = new HashSet<>();
    private final LeftOut leftOut = new LeftOut();
    private final boolean includeRefused;
    private final boolean gated;

    /**
     * @param includeRefused whether requests that an allowlist refused are taken in
     * @param gated whether the policy belongs into a configuration that has an allowlist already, in its place
     */
    public TrafficCollector(boolean includeRefused, boolean gated) {
        this.includeRefused = includeRefused;
        this.gated = gated;
    }

    @Override
    public void accept(RecordedExchange exchange) {
        boolean secure = !exchange.sni().isEmpty() || exchange.port() == HTTPS;
        Destination destination = ObservedRequest.destination(exchange.host(), exchange.port(), secure);
        String reason = destination == null ? "without a destination" : verdict(exchange);
        if (reason == null) {
            reason = shape(exchange);
        }
        if (destination == null || reason != null) {
            leftOut.add(String.valueOf(reason), example(exchange), 1);
            return;
        }
        requests.merge(request(exchange, destination), 1L, Long::sum);
        if (exchange.requestTransforms().stream().anyMatch(TrafficCollector::addsCredential)) {
            credentialed.add(destination.host());
        }
    }

    /** The requests, and how often each was made. */
    SortedMap<ObservedRequest, Long> requests() {
        return requests;
    }

    /** The hosts of which a record says that a request to them got a credential. */
    Set<String> credentialed() {
        return credentialed;
    }

    LeftOut leftOut() {
        return leftOut;
    }

    /** Why an exchange is left out because of how it ended; null when it is not. */
    private @Nullable String verdict(RecordedExchange exchange) {
        if (OWN_PAGES.equals(exchange.stubbedBy())) {
            return "for the proxy's own pages";
        }
        return switch (exchange.action()) {
            case "allow" -> null;
            case "stub" ->
                gated && exchange.requestTransforms().stream().noneMatch(TrafficCollector::isAllowlist)
                        ? "answered by " + plain(exchange.stubbedBy()) + " before the allowlist was asked"
                        : null;
            case "reject" -> refused(exchange);
            case "error", "client_cancel" -> passed(exchange) ? null : "without a verdict of every gate";
            default -> "with an action that is not known";
        };
    }

    private @Nullable String refused(RecordedExchange exchange) {
        String by = exchange.rejectedBy();
        if (by == null) {
            return "refused by the proxy itself (" + code(exchange) + ")";
        }
        if (!by.equals(ALLOWLIST)) {
            return "refused by " + plain(by) + ", which no allowlist changes";
        }
        return includeRefused ? null : "refused by the allowlist (--include-refused takes them in)";
    }

    /** Whether every gate had let it through when it failed, or its client left. */
    private static boolean passed(RecordedExchange exchange) {
        boolean upstream =
                code(exchange).startsWith("upstream_") && !code(exchange).equals("upstream_denied");
        return exchange.rejectedBy() == null
                && !code(exchange).equals("upstream_denied")
                && (upstream || !exchange.requestTransforms().isEmpty())
                && exchange.requestTransforms().stream()
                        .allMatch(transform -> transform.action().equals("allow"));
    }

    /** Why nothing can be learned from an exchange that is meant to be; null when something can. */
    private static @Nullable String shape(RecordedExchange exchange) {
        boolean refused = exchange.action().equals("reject");
        if (hostOnly(exchange)) {
            boolean seen = refused || exchange.mode().equals("sni-only");
            return seen ? null : "of which nothing but the host was seen";
        }
        String path = exchange.pathOnly();
        if (path.length() >= MAX_PATTERN) {
            return "with a path that is longer than a pattern may be";
        }
        return path.startsWith("/") && Paths.check(path) != PathProblem.NONE
                ? "with a path that no rule is ever asked about"
                : null;
    }

    private static boolean hostOnly(RecordedExchange exchange) {
        return exchange.method().isEmpty() || exchange.method().equals(CONNECT);
    }

    private static ObservedRequest request(RecordedExchange exchange, Destination destination) {
        return hostOnly(exchange)
                ? new ObservedRequest(destination, "", "")
                : new ObservedRequest(destination, exchange.method().toUpperCase(Locale.ROOT), exchange.pathOnly());
    }

    private static boolean addsCredential(RecordedTransform transform) {
        return (MINTING.contains(transform.name()) && !transform.action().equals("stub"))
                || CREDENTIAL_NOTES.stream()
                        .anyMatch(note -> transform.annotations().has(note));
    }

    private static boolean isAllowlist(RecordedTransform transform) {
        return transform.name().equals(ALLOWLIST);
    }

    private static String code(RecordedExchange exchange) {
        String error = exchange.error();
        return error == null ? "no reason given" : plain(error.split(":", 2)[0]);
    }

    private static String plain(@Nullable String name) {
        return PlainText.cut(String.valueOf(name), 64);
    }

    private static String example(RecordedExchange exchange) {
        String method = exchange.method().isEmpty() ? "" : exchange.method() + " ";
        return PlainText.cut(method + exchange.host() + ":" + exchange.port() + exchange.pathOnly(), 80) + " ("
                + exchange.at() + ")";
    }
}
