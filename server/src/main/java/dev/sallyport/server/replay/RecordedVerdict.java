package dev.sallyport.server.replay;

import dev.sallyport.core.explain.Explanation.Verdict;
import dev.sallyport.server.record.RecordedExchange;
import dev.sallyport.server.record.RecordedTransform;

/**
 * What the gates said about a recorded exchange, as far as its record tells.
 *
 * @param verdict {@link Verdict#UNDECIDABLE} where it does not
 * @param why what is missing then; otherwise empty
 */
record RecordedVerdict(Verdict verdict, String why) {

    private static final String DENIED = "upstream_denied";
    private static final String CONNECT = "CONNECT";

    static RecordedVerdict of(RecordedExchange exchange) {
        return switch (exchange.action()) {
            case "allow" -> known(Verdict.ALLOW);
            case "reject" -> known(Verdict.REJECT);
            case "stub" -> known(Verdict.STUB);
            case "error", "client_cancel" -> byItsGates(exchange);
            default -> open("an action that is not known");
        };
    }

    /** However it ended, the transforms had decided before; unless it ended before. */
    private static RecordedVerdict byItsGates(RecordedExchange exchange) {
        if (code(exchange).equals(DENIED)) {
            return known(Verdict.ERROR);
        }
        for (RecordedTransform transform : exchange.requestTransforms()) {
            switch (transform.action()) {
                case "allow" -> {}
                case "reject" -> {
                    return known(Verdict.REJECT);
                }
                case "stub" -> {
                    return known(Verdict.STUB);
                }
                default -> {
                    return open("a transform failed");
                }
            }
        }
        boolean judged =
                !exchange.requestTransforms().isEmpty() || exchange.method().equals(CONNECT);
        return judged ? known(Verdict.ALLOW) : open("it ended before a transform had decided");
    }

    /** The code with which the error of a record begins; empty when it has none. */
    static String code(RecordedExchange exchange) {
        String error = exchange.error();
        if (error == null) {
            return "";
        }
        int colon = error.indexOf(':');
        return colon < 0 ? error : error.substring(0, colon);
    }

    private static RecordedVerdict known(Verdict verdict) {
        return new RecordedVerdict(verdict, "");
    }

    private static RecordedVerdict open(String why) {
        return new RecordedVerdict(Verdict.UNDECIDABLE, why);
    }
}
