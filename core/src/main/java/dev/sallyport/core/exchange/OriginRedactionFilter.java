package dev.sallyport.core.exchange;

import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.pipeline.ResponseSteps;
import dev.sallyport.core.redact.ExchangeRedaction;
import dev.sallyport.core.redact.ResponseSearch;
import dev.sallyport.core.redact.ResponseSearch.Fault;
import org.jspecify.annotations.Nullable;

/**
 * Removes credentials from an origin's response before any transform sees it. Input waits while the search is being
 * prepared. Confined to the exchange's loop.
 */
final class OriginRedactionFilter {

    private static final Refusal UNPREPARED = new Refusal(
            502, "redaction_failed", "The proxy cannot search the response for credentials.", "proxy_internal_error");

    private final Exchange exchange;
    private final ExchangeRedaction redaction;

    OriginRedactionFilter(Exchange exchange, ExchangeRedaction redaction) {
        this.exchange = exchange;
        this.redaction = redaction;
    }

    /** Whether there are credentials to search for by now. */
    boolean searches() {
        return redaction.searches();
    }

    /** Drops an early hint from which a credential cannot be removed. */
    void interim(ResponseMessage head, Runnable pass) {
        redaction.whenReady(() -> {
            ResponseSearch search = redaction.search();
            if (!redaction.failed() && (search == null || search.head(head) == null)) {
                pass.run();
            }
        });
    }

    /** @param body null when the message ends with its head */
    void response(ResponseMessage head, @Nullable MessageBody body, Runnable pass) {
        redaction.whenReady(() -> {
            redaction.answered();
            ResponseSearch search = redaction.search();
            Fault fault = search == null ? null : search.head(head);
            if (!exchange.response().answeredLocally()) {
                redaction.withdrawRanges(head.headers());
            }
            if (fault == null && search != null && body != null) {
                fault = search.body(head, body, exchange.headOnly());
            }
            conclude(fault, pass);
        });
    }

    /** The origin has agreed to switch protocols. */
    void switching(ResponseMessage head, ResponseSteps steps, Runnable pass) {
        redaction.whenReady(() -> {
            redaction.answered();
            ResponseSearch search = redaction.search();
            Fault fault = search == null ? null : search.head(head);
            if (search != null) {
                steps.messages().nextToOrigin(search.messages());
            }
            conclude(fault, pass);
        });
    }

    private void conclude(@Nullable Fault fault, Runnable pass) {
        if (exchange.over()) {
            return;
        }
        if (redaction.failed()) {
            exchange.refuse(UNPREPARED, LocalResponses.DecidedBy.ENGINE, "");
        } else if (fault == null) {
            pass.run();
        } else {
            Refusal refusal = new Refusal(502, fault.code(), fault.detail(), "http_response_incomplete");
            exchange.refuse(refusal, LocalResponses.DecidedBy.ENGINE, "");
        }
    }

    /** Discards everything that waits. Idempotent. */
    void cancel() {
        redaction.cancel();
    }
}
