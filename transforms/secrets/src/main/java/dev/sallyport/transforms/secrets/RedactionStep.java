package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseHead;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Trace;
import dev.sallyport.toolkit.headers.EngineHeaders;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.redact.Redactor;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Turns real values in one exchange's response back into placeholders. */
final class RedactionStep implements ResponseStep.Inline {

    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    private final Redactions redactions;
    private final List<Redactable.Known> values;
    private final @Nullable Sightings later;

    /**
     * @param values those that the request may have carried
     * @param later tells of what was swapped behind the head, or null when nothing could be
     */
    RedactionStep(Redactions redactions, List<Redactable.Known> values, @Nullable Sightings later) {
        this.redactions = redactions;
        this.values = values;
        this.later = later;
    }

    @Override
    public ResponseDecision apply(ResponseContext context) {
        Redaction redaction = redactions.redaction(values, later == null ? Set.of() : later.secrets());
        if (later != null && !context.head().interim()) {
            later.answered();
        }
        if (redaction.redactor().isEmpty()) {
            return ResponseDecision.proceed();
        }
        return new OneResponse(redaction, context.trace()).decide(context);
    }

    /** One response, or interim response, and what was found in it. Confined to the exchange's loop. */
    private static final class OneResponse {

        private final Redaction redaction;
        private final Redactor redactor;
        private final Trace trace;
        private final Uses redacted = new Uses(Uses.REDACTED);

        OneResponse(Redaction redaction, Trace trace) {
            this.redaction = redaction;
            this.redactor = redaction.redactor();
            this.trace = trace;
        }

        ResponseDecision decide(ResponseContext context) {
            ResponseHead head = context.head();
            Edits.Builder edits = Edits.builder();
            if (!fields(head.headers(), "header:", edits)) {
                return ResponseDecision.refuse(
                        "credential_in_response", "The response has a credential where it cannot be taken out.");
            }
            String reason = text(head.reason(), "reason");
            if (!reason.equals(head.reason())) {
                edits.setStatus(head.status(), reason);
            }
            if (head.status() == SWITCHING_PROTOCOLS) {
                edits.rewriteMessages(false, () -> body(null, "message"));
            } else if (!head.interim() && mayHaveBody(context)) {
                edits.rewriteBody(body(head.headers().first("Content-Type"), "body"));
                edits.editTrailers(this::trailers);
            }
            return ResponseDecision.proceed(edits.build());
        }

        private static boolean mayHaveBody(ResponseContext context) {
            int status = context.head().status();
            return status != NO_CONTENT
                    && status != NOT_MODIFIED
                    && !context.request().method().equals("HEAD")
                    && context.head().contentLength().orElse(1) != 0;
        }

        private BodyRewriter body(@Nullable String contentType, String location) {
            return redactor.body(contentType, noting(location));
        }

        private Edits trailers(Headers trailers) {
            Edits.Builder edits = Edits.builder();
            if (!fields(trailers, "trailer:", edits)) {
                throw new IllegalStateException("a credential in a trailer field that cannot be changed");
            }
            return edits.build();
        }

        /** Edits of fields with a value in them; false when there is one that is not to be edited. */
        private boolean fields(Headers fields, String location, Edits.Builder edits) {
            for (int i = 0; i < fields.size(); i++) {
                String name = fields.name(i);
                if (!text(name, location + "(name)").equals(name)) {
                    // A name that is a credential names nothing that the client could know.
                    edits.removeHeader(name);
                    continue;
                }
                String before = fields.value(i);
                if (HeaderNames.equal(name, "Content-Length")) {
                    continue;
                }
                String after = text(before, location + HeaderNames.canonical(name));
                if (after.equals(before)) {
                    continue;
                } else if (EngineHeaders.contains(name)) {
                    return false;
                }
                edits.setHeaderValue(name, HeadSwap.occurrence(fields, i), after);
            }
            return true;
        }

        /** A text of one line; one in which a placeholder cannot stand is given up for the marker. */
        private String text(String before, String location) {
            String after = redactor.text(before, noting(location));
            boolean lines = !after.equals(before) && after.chars().anyMatch(c -> c < ' ' || c == 0x7f);
            return lines ? Redactions.MARKER : after;
        }

        private IntConsumer noting(String location) {
            return cover -> {
                redacted.add(redaction.secret(cover), location);
                redacted.annotate(trace);
            };
        }
    }
}
