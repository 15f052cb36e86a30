package dev.sallyport.server.replay;

import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.Explanation.Verdict;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.server.explain.Judge;
import dev.sallyport.server.record.RecordedExchange;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.Hosts;
import dev.sallyport.toolkit.match.InvalidHostException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Judges recorded exchanges again, by host, port, method, path and workload (docs/spec/decisions.md, section 13). What
 * something else decides is never called unchanged. Not thread-safe; blocks.
 */
public final class Replay {

    private static final String CONNECT = "CONNECT";
    private static final int HTTPS_PORT = 443;

    private final Judge judge;
    private final ReplayReport report = new ReplayReport();

    /** @param judge by the new configuration */
    public Replay(Judge judge) {
        this.judge = judge;
    }

    /** What has been found so far. */
    public ReplayReport report() {
        return report;
    }

    /** Judges one exchange. */
    public void replay(RecordedExchange exchange) throws InterruptedException {
        RecordedVerdict before = RecordedVerdict.of(exchange);
        if (before.verdict() == Verdict.UNDECIDABLE) {
            report.undecidable(before.why());
            return;
        }
        if (exchange.host().isEmpty() || (exchange.path().isEmpty() && !isPathless(exchange))) {
            report.undecidable("the record does not say what was asked for");
            return;
        }
        Explanation now;
        try {
            now = judged(exchange);
        } catch (InvalidRequestException | InvalidHostException e) {
            report.undecidable("the record holds no request");
            return;
        }
        if (now == null) {
            report.undecidable("whether TLS was spoken decides, which the record does not tell");
            return;
        }
        compare(exchange, before.verdict(), now);
    }

    private static boolean isPathless(RecordedExchange exchange) {
        return exchange.method().isEmpty() || exchange.method().equals(CONNECT);
    }

    /** Null where the verdict depends on what the record does not tell. */
    private @Nullable Explanation judged(RecordedExchange exchange)
            throws InvalidRequestException, InterruptedException {
        boolean tls = !exchange.sni().isEmpty()
                || exchange.method().equals(CONNECT)
                || exchange.method().isEmpty();
        if (tls) {
            return judged(exchange, true);
        }
        boolean certain = exchange.tunnelTarget() == null && !Hosts.isLiteral(exchange.host());
        Explanation plain = judged(exchange, false);
        if (certain) {
            return plain;
        }
        Explanation secure = judged(exchange, true);
        return plain.verdict() == secure.verdict() ? plain : null;
    }

    private Explanation judged(RecordedExchange exchange, boolean secure)
            throws InvalidRequestException, InterruptedException {
        Destination to = Destinations.parse(exchange.host(), exchange.port(), secure);
        String stated = exchange.tunnelTarget();
        Destination tunnel = stated == null ? null : Destinations.fromAuthority(stated, HTTPS_PORT, true);
        ExplainRequest.Builder request = ExplainRequest.recorded(exchange.method(), to, exchange.path(), tunnel)
                .workload(exchange.workload());
        InetSocketAddress client = client(exchange.remoteAddr());
        if (client != null) {
            request.source(client.getAddress(), client.getPort());
        }
        return judge.explain(request.build());
    }

    private static @Nullable InetSocketAddress client(String text) {
        try {
            Destination address = Destinations.fromAuthority(text, 1, false);
            InetAddress literal = address.address();
            return literal == null ? null : new InetSocketAddress(literal, address.port());
        } catch (InvalidHostException e) {
            return null;
        }
    }

    private void compare(RecordedExchange exchange, Verdict before, Explanation now) {
        if (now.verdict() == Verdict.UNDECIDABLE) {
            report.undecidable(why(now));
            return;
        }
        if (before == now.verdict()) {
            report.unchanged(!now.assumed().isEmpty());
            return;
        }
        String refusedBy = exchange.rejectedBy();
        if (before == Verdict.REJECT && refusedBy == null) {
            report.undecidable("the proxy itself had refused it: " + RecordedVerdict.code(exchange));
        } else if (before == Verdict.REJECT && now.assumed().contains(refusedBy)) {
            report.undecidable(refusedBy + " had refused it, and looked at more than a record has");
        } else if (before == Verdict.ERROR && !Hosts.isLiteral(exchange.host())) {
            report.undecidable("its address decided, which is not resolved");
        } else {
            report.flip(exchange, before, now);
        }
    }

    private static String why(Explanation now) {
        String who = now.decidedBy();
        String code = String.valueOf(now.code());
        String what = code.equals("not_recorded") ? "needs more than a record has" : "would ask somebody";
        return who == null ? String.valueOf(now.detail()) : who + " " + what;
    }
}
