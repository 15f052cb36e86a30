package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.toolkit.headers.CallProtocol;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.ReasonPhrases;
import dev.sallyport.toolkit.headers.ReservedFields;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The responses that the proxy makes itself: problem documents (RFC 9457) and transforms' responses. */
final class LocalResponses {

    /** RFC 9110, 5.6.7. */
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    /** A host takes up to 253 characters, and may stand there twice. */
    private static final int LONGEST_PHRASE = 1024;

    private static final String GRPC_INTERNAL = "13";

    /** The flag of the last message in a stream of the Connect protocol. */
    private static final byte END_STREAM = 2;

    private static final String CUT = "...";

    private LocalResponses() {}

    /** A head with its whole body. */
    record LocalResponse(ResponseMessage head, byte[] body) {}

    /**
     * The origin of a refusal, for the problem document.
     *
     * @param transform the transform's name; empty when the engine itself refused
     * @param instance the name that tells the transform from others of its kind; empty when it has none
     * @param rule position of the rule that decided; empty when there is none
     */
    record DecidedBy(String transform, String instance, String rule) {
        static final DecidedBy ENGINE = new DecidedBy("", "", "");

        /** @param position the place in the transform's configuration, as the transform reported it */
        static DecidedBy of(Stage stage, @Nullable String position) {
            boolean located = position != null && !position.isEmpty();
            String rule = located ? "transforms[" + stage.position() + "]." + position : "";
            return new DecidedBy(stage.name(), stage.instance(), rule);
        }
    }

    /** A problem document, in JSON or in plain text with the same facts. */
    static LocalResponse problem(
            String exchangeId,
            @Nullable RequestMessage request,
            Refusal refusal,
            DecidedBy decidedBy,
            ProblemForm form) {
        boolean explained = form == ProblemForm.EXPLAINED;
        boolean json = request == null ? !explained : acceptsJson(request.headers(), explained);
        String text = json ? json(exchangeId, refusal, decidedBy) : plain(exchangeId, refusal, decidedBy);
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        HeaderBlock headers = new HeaderBlock(8);
        headers.append("Content-Type", json ? "application/problem+json" : "text/plain; charset=utf-8");
        headers.append("Content-Length", Integer.toString(body.length));
        headers.append("Proxy-Status", "sallyport; error=" + refusal.proxyStatus());
        if (refusal.status() == 407) {
            headers.append("Proxy-Authenticate", "Basic realm=\"sallyport\", charset=\"UTF-8\"");
        }
        if (refusal.status() == 503) {
            headers.append("Retry-After", "1");
        }
        headers.append("Cache-Control", "no-store");
        headers.append("Date", date(Instant.now()));
        String reason = explained ? explanation(refusal, decidedBy) : ReasonPhrases.of(refusal.status());
        return new LocalResponse(new ResponseMessage(refusal.status(), reason, headers, body.length), body);
    }

    /**
     * The end of a call with the status INTERNAL: in gRPC a head alone ("Trailers-Only"), in a stream of the Connect
     * protocol its last message.
     */
    static LocalResponse call(HeaderBlock request, Refusal refusal) {
        String type = request.first("Content-Type");
        HeaderBlock headers = new HeaderBlock(6);
        headers.append("Content-Type", type == null ? "application/grpc" : type);
        byte[] body = {};
        if (CallProtocol.of(type) == CallProtocol.CONNECT) {
            body = endOfStream(refusal);
        } else {
            headers.append("grpc-status", GRPC_INTERNAL);
            headers.append("grpc-message", refusal.detail());
        }
        headers.append("Content-Length", Integer.toString(body.length));
        headers.append("Proxy-Status", "sallyport; error=" + refusal.proxyStatus());
        headers.append("Date", date(Instant.now()));
        return new LocalResponse(new ResponseMessage(200, ReasonPhrases.of(200), headers, body.length), body);
    }

    private static byte[] endOfStream(Refusal refusal) {
        StringBuilder json = new StringBuilder(120).append("{\"error\":{");
        member(json, "code", "internal");
        member(json.append(','), "message", refusal.detail());
        byte[] message = json.append("}}").toString().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + Integer.BYTES + message.length)
                .put(END_STREAM)
                .putInt(message.length)
                .put(message)
                .array();
    }

    /** A transform's response; the engine replaces its framing fields and date. */
    static LocalResponse stub(StubResponse stub) {
        byte[] body = stub.body();
        HeaderBlock headers = new HeaderBlock(stub.headers().size() + 2);
        for (Map.Entry<String, String> line : stub.headers()) {
            if (isSendable(line)) {
                headers.append(line.getKey(), line.getValue());
            }
        }
        if (stub.status() != 204 && stub.status() != 304) {
            headers.append("Content-Length", Integer.toString(body.length));
        }
        headers.append("Date", date(Instant.now()));
        return new LocalResponse(
                new ResponseMessage(stub.status(), ReasonPhrases.of(stub.status()), headers, body.length), body);
    }

    private static boolean isSendable(Map.Entry<String, String> line) {
        String name = line.getKey();
        boolean engines = ReservedFields.isConnectionSpecific(name)
                || name.equalsIgnoreCase("Content-Length")
                || name.equalsIgnoreCase("Trailer")
                || name.equalsIgnoreCase("Date");
        return !engines && FieldSyntax.isToken(name) && FieldSyntax.isTransmissible(line.getValue());
    }

    static String date(Instant time) {
        return DATE.format(time);
    }

    /**
     * A reason phrase with what a problem document says (RFC 9112, 4): printable ASCII on one line, whatever the detail
     * holds, and not longer than clients take.
     */
    private static String explanation(Refusal refusal, DecidedBy decidedBy) {
        String by = decidedBy.rule().isEmpty() ? decidedBy.transform() : decidedBy.rule();
        StringBuilder phrase = new StringBuilder(200)
                .append(ReasonPhrases.of(refusal.status()))
                .append(": ")
                .append(refusal.detail())
                .append(by.isEmpty() ? "" : " (" + by + ")");
        if (phrase.length() > LONGEST_PHRASE) {
            phrase.replace(LONGEST_PHRASE - CUT.length(), phrase.length(), CUT);
        }
        for (int i = 0; i < phrase.length(); i++) {
            char c = phrase.charAt(i);
            if (c < ' ' || c > '~') {
                phrase.setCharAt(i, '?');
            }
        }
        return phrase.toString();
    }

    /** @param named whether it is not enough that the client takes anything */
    private static boolean acceptsJson(HeaderBlock headers, boolean named) {
        if (!headers.contains("Accept")) {
            return !named;
        }
        for (int i = headers.indexOf("Accept", 0); i >= 0; i = headers.indexOf("Accept", i + 1)) {
            String value = headers.value(i).toLowerCase(Locale.ROOT);
            if (value.contains("json") || (!named && (value.contains("*/*") || value.contains("application/*")))) {
                return true;
            }
        }
        return false;
    }

    private static String json(String exchangeId, Refusal refusal, DecidedBy decidedBy) {
        StringBuilder json = new StringBuilder(320).append('{');
        member(json, "type", "urn:sallyport:" + refusal.code());
        member(json.append(','), "title", ReasonPhrases.of(refusal.status()));
        json.append(",\"status\":").append(refusal.status());
        member(json.append(','), "detail", refusal.detail());
        member(json.append(','), "code", refusal.code());
        if (!decidedBy.transform().isEmpty()) {
            member(json.append(','), "transform", decidedBy.transform());
        }
        if (!decidedBy.instance().isEmpty()) {
            member(json.append(','), "name", decidedBy.instance());
        }
        if (!decidedBy.rule().isEmpty()) {
            member(json.append(','), "rule", decidedBy.rule());
        }
        member(json.append(','), "exchange_id", exchangeId);
        return json.append("}\n").toString();
    }

    private static void member(StringBuilder json, String name, String value) {
        json.append('"').append(name).append("\":\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    private static String plain(String exchangeId, Refusal refusal, DecidedBy decidedBy) {
        StringBuilder text = new StringBuilder(200)
                .append(refusal.status())
                .append(' ')
                .append(ReasonPhrases.of(refusal.status()))
                .append('\n')
                .append(refusal.detail())
                .append("\ncode: ")
                .append(refusal.code());
        if (!decidedBy.transform().isEmpty()) {
            text.append("\ntransform: ").append(decidedBy.transform());
        }
        if (!decidedBy.instance().isEmpty()) {
            text.append("\nname: ").append(decidedBy.instance());
        }
        if (!decidedBy.rule().isEmpty()) {
            text.append("\nrule: ").append(decidedBy.rule());
        }
        return text.append("\nexchange_id: ").append(exchangeId).append('\n').toString();
    }
}
