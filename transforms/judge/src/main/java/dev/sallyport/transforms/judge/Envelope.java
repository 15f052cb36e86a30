package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.toolkit.headers.HeaderNames;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A request as the model sees it: one JSON object of bounded size, in which everything that the workload sent is the
 * content of a string. States what was cut or omitted.
 */
final class Envelope {

    static final int MAX_BODY = 16 * 1024;
    static final int MAX_URL = 2 * 1024;
    static final int MAX_HEADERS = 4 * 1024;
    static final int MAX_VALUE = 512;

    /** Fields that come first, so that a flood of other fields cannot push them out. */
    private static final List<String> FIRST = List.of(
            "Host",
            "Origin",
            "Referer",
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "Content-Type",
            "Content-Length",
            "Content-Encoding",
            "Transfer-Encoding",
            "Authorization",
            "Cookie");

    private final Credentials credentials;
    private final ObjectNode json = Model.JSON.createObjectNode();
    private final List<String> warnings = new ArrayList<>(1);
    private final List<String> unseen = new ArrayList<>(1);

    private Envelope(Credentials credentials) {
        this.credentials = credentials;
    }

    /** The envelope for a request whose body was read. */
    static Envelope of(RequestContext context, Credentials credentials) {
        Envelope envelope = new Envelope(credentials);
        envelope.head(context);
        envelope.body(context.body());
        envelope.end(context);
        return envelope;
    }

    /** The envelope for a gRPC call whose first message was read. */
    static Envelope ofCall(RequestContext context, Credentials credentials) {
        Envelope envelope = new Envelope(credentials);
        envelope.head(context);
        String text = GrpcMessage.text(
                context.body(), context.head().headers().first("grpc-encoding"), envelope.warnings::add);
        if (!text.isEmpty()) {
            envelope.json.put("body", text);
        }
        envelope.end(context);
        return envelope;
    }

    /** The text for the model. */
    String text() {
        return json.toString();
    }

    /** What the text omits, for the audit record; trailers that were not announced appear only here. */
    List<String> unseen() {
        return List.copyOf(unseen);
    }

    private void end(RequestContext context) {
        RequestHead head = context.head();
        if (head.headers().contains("Sec-WebSocket-Version")) {
            warnings.add("websocket: messages are not examined");
        }
        if (head.headers().contains("Trailer")) {
            warnings.add("trailers: not examined");
        }
        unseen.addAll(warnings);
        long length = head.contentLength().orElse(-1);
        boolean trailed =
                length < 0 || (length > 0 && context.connection().protocol().equals("h2"));
        if (trailed && !head.headers().contains("Trailer")) {
            unseen.add("trailers: not examined, if there are any");
        }
        if (!warnings.isEmpty()) {
            ArrayNode list = json.putArray("warnings");
            warnings.forEach(list::add);
        }
    }

    private void head(RequestContext context) {
        RequestHead head = context.head();
        Destination destination = context.destination();
        json.put("method", head.method());
        json.put("url", url(destination, head));
        json.put("host", destination.host());
        headers(head.headers());
    }

    private String url(Destination destination, RequestHead head) {
        String url = (destination.secure() ? "https://" : "http://") + destination.authority() + head.target();
        if (url.length() <= MAX_URL) {
            return url;
        }
        warnings.add("url: cut, " + url.length() + " bytes long");
        return url.substring(0, MAX_URL);
    }

    private void headers(Headers headers) {
        List<Integer> order = new ArrayList<>(headers.size());
        for (int i = 0; i < headers.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparingInt(i -> rank(headers.name(i))));
        ArrayNode list = json.putArray("headers");
        int length = 0;
        int left = 0;
        for (int i : order) {
            String name = headers.name(i);
            String value = value(name, headers.value(i));
            if (length + name.length() + value.length() > MAX_HEADERS) {
                left++;
                continue;
            }
            length += name.length() + value.length();
            list.addObject().put("name", name).put("value", value);
        }
        if (left > 0) {
            warnings.add("headers: " + left + " left out");
        }
    }

    private static int rank(String name) {
        int index = FIRST.indexOf(HeaderNames.canonical(name));
        return index < 0 ? FIRST.size() : index;
    }

    private String value(String name, String sent) {
        String value = credentials.shown(name, sent);
        return value.length() <= MAX_VALUE
                ? value
                : value.substring(0, MAX_VALUE) + "... [truncated, original " + value.length() + " bytes]";
    }

    private void body(Body body) {
        ByteBuffer bytes = body.bytes();
        int length = bytes.remaining();
        if (length == 0 && !body.truncated()) {
            return;
        }
        CharBuffer text = CharBuffer.allocate(length);
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        // The last character of a cut body may be cut too.
        CoderResult result = decoder.decode(bytes, text, !body.truncated());
        if (result.isError()) {
            warnings.add("body: omitted, not UTF-8");
            return;
        }
        json.put("body", text.flip().toString());
        if (body.truncated()) {
            warnings.add("body: cut, longer than " + length + " bytes");
        }
    }
}
