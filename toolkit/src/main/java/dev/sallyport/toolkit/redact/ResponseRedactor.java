package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseHead;
import dev.sallyport.toolkit.headers.EngineHeaders;
import dev.sallyport.toolkit.headers.HeaderNames;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes values out of one response, or interim response: fields, reason phrase, body, trailers, and the messages of a
 * WebSocket. A field whose name has a value in it is dropped. Confined to the exchange's loop.
 */
public final class ResponseRedactor {

    /** What a transform has to declare as written, the request's part for {@link #prepare}. */
    public static final List<Part> WRITES = List.of(
            Part.REQUEST_HEADERS,
            Part.STATUS,
            Part.RESPONSE_HEADERS,
            Part.RESPONSE_BODY,
            Part.RESPONSE_TRAILERS,
            Part.MESSAGES);

    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    private final Redactor redactor;
    private final String marker;
    private final Found found;

    /** Hears of each value that was taken out, also after the head: while the body streams. */
    @FunctionalInterface
    public interface Found {

        /**
         * A value was there.
         *
         * @param cover its index in the redactor
         * @param location {@code header:<Name>}, {@code header:(name)}, {@code reason}, {@code body}, {@code message},
         *     {@code trailer:<Name>}
         */
        void found(int cover, String location);
    }

    /** @param marker what stands for a text of one line in which a placeholder cannot stand */
    public ResponseRedactor(Redactor redactor, String marker, Found found) {
        this.redactor = redactor;
        this.marker = marker;
        this.found = found;
    }

    /**
     * Takes out of a request what would bring a response that cannot be read: a part of a body (RFC 9110, 14.2), or an
     * unknown content coding.
     */
    public static void prepare(Headers request, Edits.Builder edits) {
        Asking.restrict(request, edits);
    }

    /** What is to be done with the response. */
    public ResponseDecision decide(ResponseContext context) {
        return decide(context, true);
    }

    /** As {@link #decide}, where the content is none of the redactor's business: fields and reason phrase alone. */
    public ResponseDecision decideHead(ResponseContext context) {
        return decide(context, false);
    }

    private ResponseDecision decide(ResponseContext context, boolean content) {
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
        if (!content) {
            return ResponseDecision.proceed(edits.build());
        }
        if (head.status() == SWITCHING_PROTOCOLS) {
            edits.rewriteMessages(false, () -> body(null, "message"), () -> redactor.counted(noting("message")));
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
            edits.setHeaderValue(name, occurrence(fields, i), after);
        }
        return true;
    }

    private static int occurrence(Headers fields, int index) {
        int occurrence = 0;
        for (int i = 0; i < index; i++) {
            if (HeaderNames.equal(fields.name(i), fields.name(index))) {
                occurrence++;
            }
        }
        return occurrence;
    }

    /** A text of one line; one in which a placeholder cannot stand is given up for the marker. */
    private String text(String before, String location) {
        String after = redactor.text(before, noting(location));
        boolean lines = !after.equals(before) && after.chars().anyMatch(c -> c < ' ' || c == 0x7f);
        return lines ? marker : after;
    }

    private IntConsumer noting(String location) {
        return cover -> found.found(cover, location);
    }

    @Override
    public String toString() {
        return "ResponseRedactor[]";
    }
}
