package dev.sallyport.transforms.sigv4auth;

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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * Turns real credentials in one exchange's response back into those of the workload. Of an object store the content of
 * successful answers is passed on untouched: it is data, of which parts may be asked for.
 */
final class EchoStep implements ResponseStep.Inline {

    private static final int MULTIPLE_CHOICES = 300;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    private final Echoes echoes;
    private final Exposed exposed;
    private final Map<String, Set<String>> redacted = new LinkedHashMap<>();

    EchoStep(Echoes echoes, Exposed exposed) {
        this.echoes = echoes;
        this.exposed = exposed;
    }

    @Override
    public ResponseDecision apply(ResponseContext context) {
        ResponseHead head = context.head();
        boolean success = head.status() < MULTIPLE_CHOICES;
        Echoes.Redaction redaction = success ? echoes.credentials(exposed) : Echoes.all(exposed);
        Redactor redactor = redaction.redactor();
        Trace trace = context.trace();
        Edits.Builder edits = Edits.builder();
        if (!fields(redaction, head.headers(), "header:", trace, edits)) {
            return ResponseDecision.refuse(
                    "credential_in_response", "The response has a credential where it cannot be taken out.");
        }
        String reason = redactor.text(head.reason(), noting(redaction, trace, "reason"));
        if (!reason.equals(head.reason())) {
            edits.setStatus(head.status(), reason);
        }
        if (!head.interim() && mayHaveBody(context) && !(success && exposed.content())) {
            edits.rewriteBody(redactor.body(head.headers().first("Content-Type"), noting(redaction, trace, "body")));
            edits.editTrailers(trailers -> trailers(redaction, trailers, trace));
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

    private Edits trailers(Echoes.Redaction redaction, Headers trailers, Trace trace) {
        Edits.Builder edits = Edits.builder();
        if (!fields(redaction, trailers, "trailer:", trace, edits)) {
            throw new IllegalStateException("a credential in a trailer field that cannot be changed");
        }
        return edits.build();
    }

    /** Adds edits of fields that have a value in them; false when there is one that is not to be edited. */
    private boolean fields(
            Echoes.Redaction redaction, Headers fields, String location, Trace trace, Edits.Builder edits) {
        Redactor redactor = redaction.redactor();
        for (int i = 0; i < fields.size(); i++) {
            String name = fields.name(i);
            if (redactor.finds(name)) {
                edits.removeHeader(name);
                continue;
            }
            String before = fields.value(i);
            String after = redactor.text(before, noting(redaction, trace, location + HeaderNames.canonical(name)));
            if (after.equals(before)) {
                continue;
            }
            if (EngineHeaders.contains(name)) {
                return false;
            }
            edits.setHeaderValue(name, occurrence(fields, i), after);
        }
        return true;
    }

    private static int occurrence(Headers fields, int index) {
        int occurrence = 0;
        for (int i = 0; i < index; i++) {
            occurrence += HeaderNames.equal(fields.name(i), fields.name(index)) ? 1 : 0;
        }
        return occurrence;
    }

    private IntConsumer noting(Echoes.Redaction redaction, Trace trace, String location) {
        return cover -> {
            redacted.computeIfAbsent(redaction.names().get(cover), value -> new LinkedHashSet<>())
                    .add(location);
            trace.annotate(
                    "redacted",
                    redacted.entrySet().stream()
                            .map(entry -> Map.of("value", entry.getKey(), "locations", List.copyOf(entry.getValue())))
                            .toList());
        };
    }
}
