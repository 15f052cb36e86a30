package dev.sallyport.core.redact;

import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edit;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.headers.CallProtocol;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.headers.ReservedFields;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Removes credentials from what an origin sends in one exchange: fields, reason phrase, body, trailers, and the
 * messages of a WebSocket. A field whose name contains a credential is dropped. Confined to the exchange's loop.
 */
public final class ResponseSearch {

    private static final int SUCCESS_END = 300;

    private static final String BODY = "body";

    private final List<CompiledCredentials> values;
    private final List<CompiledCredentials> contentValues;
    private final RedactionFindings found;
    private final Supplier<PartMasks> masks;

    /** The reason why a response cannot be passed on. */
    public enum Fault {
        /** A credential stands where it cannot be removed. */
        CREDENTIAL("credential_in_response", "The response has a credential where it cannot be taken out."),
        /** The charset is unknown. */
        CHARSET(
                "unsupported_charset",
                "The response has a character encoding in which the proxy cannot search for credentials."),
        /** The content coding is unknown. */
        CODING(
                "unsupported_content_coding",
                "The response has a content coding in which the proxy cannot search for credentials."),
        /** It is a part of a content. */
        PART(
                "unsearchable_part",
                "The response is a part of a content, over whose edges a credential could reach. Ask for all of it.");

        private final String code;
        private final String detail;

        Fault(String code, String detail) {
            this.code = code;
            this.detail = detail;
        }

        /** The code for the problem document. */
        public String code() {
            return code;
        }

        /** A sentence for the client. */
        public String detail() {
            return detail;
        }
    }

    /**
     * @param values the values to search for
     * @param contentValues those to search for in the content of successful responses
     * @param masks the workload's
     */
    ResponseSearch(
            List<CompiledCredentials> values,
            List<CompiledCredentials> contentValues,
            RedactionFindings found,
            Supplier<PartMasks> masks) {
        this.values = values;
        this.contentValues = contentValues;
        this.found = found;
        this.masks = masks;
    }

    /** Searches a head, interim or final; returns why it cannot be passed on, or null. */
    public @Nullable Fault head(ResponseMessage head) {
        if (!fields(head.headers(), "header:")) {
            return Fault.CREDENTIAL;
        }
        String reason = text(head.reason(), "reason");
        if (!reason.equals(head.reason())) {
            head.status(head.status(), reason);
        }
        return null;
    }

    /**
     * Prepares the search of the body behind a head; returns why it cannot be passed on, or null.
     *
     * @param headOnly whether the request was for the head alone
     */
    public @Nullable Fault body(ResponseMessage head, MessageBody body, boolean headOnly) {
        body.editTrailers(BodyFailure.NOBODY, this::trailers);
        List<CompiledCredentials> wanted = head.status() < SUCCESS_END ? contentValues : values;
        if (wanted.isEmpty()
                || headOnly
                || !head.mayHaveBody()
                || head.contentLength().orElse(1) == 0) {
            return null;
        }
        ContentPart part = ContentPart.of(head);
        Fault fault = part == null || isSearchable(part, wanted) ? Readability.fault(head.headers()) : Fault.PART;
        if (fault == null) {
            String type = head.headers().first("Content-Type");
            if (Readability.mayHideMetadata(head.headers())) {
                wanted.forEach(
                        some -> body.rewrite(BodyFailure.NOBODY, some.redactor().counted(noting(some, BODY)), false));
            }
            openMessages(head.headers(), body);
            if (part == null) {
                wanted.forEach(some -> rewrite(body, some.redactor().body(type, noting(some, BODY))));
            } else {
                search(part, type, wanted, body);
            }
        }
        return fault;
    }

    private boolean isSearchable(ContentPart part, List<CompiledCredentials> wanted) {
        return part.searchable()
                && !masks.get().exhausted()
                && wanted.stream().allMatch(some -> some.redactor().searchesParts());
    }

    private void search(ContentPart part, @Nullable String type, List<CompiledCredentials> wanted, MessageBody body) {
        PartMasks counter = masks.get();
        Runnable masked = () -> {
            counter.add();
            found.addEdge();
        };
        body.check(BodyFailure.NOBODY, counter, true);
        for (CompiledCredentials some : wanted) {
            if (part.cutBefore()) {
                rewrite(body, some.redactor().partHead(part.cutAfter(), masked));
            }
            IntConsumer noting = noting(some, BODY);
            rewrite(
                    body,
                    part.cutAfter()
                            ? some.redactor().part(type, part.counted(), cover -> {
                                if (cover < 0) {
                                    masked.run();
                                } else {
                                    noting.accept(cover);
                                }
                            })
                            : some.redactor().counted(noting));
        }
    }

    private static void rewrite(MessageBody body, BodyRewriter rewriter) {
        body.rewrite(BodyFailure.NOBODY, rewriter, true);
    }

    /** Whether a refusal of this code ends a call of {@link CallProtocol} with INTERNAL. */
    public static boolean endsCall(String code) {
        return code.equals(CompressedFlagCheck.CODE);
    }

    /** Servers may compress messages although they were asked not to; they must say how. */
    private static void openMessages(HeaderBlock head, MessageBody body) {
        String type = head.first("Content-Type");
        CallProtocol call = CallProtocol.of(type);
        if (type == null || call == null) {
            return;
        }
        Codings codings = Readability.messageCodings(call, head);
        if (codings.isIdentity()) {
            body.check(BodyFailure.NOBODY, new CompressedFlagCheck(Readability.isGrpcWebText(type)), true);
        } else {
            body.inflateMessages(codings);
        }
    }

    /** The rewriters of the origin's WebSocket messages. */
    public List<Edit.RewriteMessages> messages() {
        return values.stream()
                .map(part -> new Edit.RewriteMessages(
                        Direction.RESPONSE,
                        () -> part.redactor().body(null, noting(part, "message")),
                        () -> part.redactor().counted(noting(part, "message")),
                        false))
                .toList();
    }

    private void trailers(HeaderBlock trailers) {
        if (!fields(trailers, "trailer:")) {
            throw new IllegalStateException("a credential in a trailer field that cannot be changed");
        }
    }

    /** Removes credentials from fields; returns false when one stands in a field that must not change. */
    private boolean fields(HeaderBlock fields, String location) {
        if (!mayFind(fields)) {
            return true;
        }
        int i = 0;
        while (i < fields.size()) {
            String name = fields.name(i);
            if (!text(name, location + "(name)").equals(name)) {
                // A field name that is a credential means nothing to the client.
                fields.removeAt(i);
                continue;
            }
            String before = fields.value(i);
            String after = HeaderNames.equal(name, "Content-Length") ? before : value(name, before, location);
            if (!after.equals(before)) {
                if (ReservedFields.isReserved(name)) {
                    return false;
                }
                fields.setValue(i, after);
            }
            i++;
        }
        return true;
    }

    private boolean mayFind(HeaderBlock fields) {
        for (int i = 0; i < fields.size(); i++) {
            if (GrpcField.isEncoded(fields.name(i))) {
                // Its characters are encoded; the text in it differs.
                return true;
            }
        }
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i).redactor().mayFind(fields)) {
                return true;
            }
        }
        return false;
    }

    private String value(String name, String before, String location) {
        String after = before;
        boolean encoded = GrpcField.isEncoded(name);
        for (CompiledCredentials part : values) {
            IntConsumer noting = cover -> note(part, cover, location + HeaderNames.canonical(name));
            if (encoded) {
                after = GrpcField.redacted(name, after, part.redactor(), noting);
            }
            after = oneLine(after, part.redactor().text(after, noting));
        }
        return after;
    }

    private String text(String before, String location) {
        String after = before;
        for (CompiledCredentials part : values) {
            after = oneLine(after, part.redactor().text(after, noting(part, location)));
        }
        return after;
    }

    /** A text on one line; where a placeholder cannot stand, the marker replaces the text. */
    private static String oneLine(String before, String after) {
        boolean lines = !after.equals(before) && after.chars().anyMatch(c -> c < ' ' || c == 0x7f);
        return lines ? Credential.MARKER : after;
    }

    private IntConsumer noting(CompiledCredentials part, String location) {
        return cover -> note(part, cover, location);
    }

    private void note(CompiledCredentials part, int cover, String location) {
        found.add(part.stage(cover), part.name(cover), location);
    }

    @Override
    public String toString() {
        return "ResponseSearch[]";
    }
}
