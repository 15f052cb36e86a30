package dev.sallyport.mcp;

import dev.sallyport.mcp.json.JsonDetector;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.LateRejectException;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseHead;
import dev.sallyport.spi.ResponseStep;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Judges a server's answers. Thread-safe. */
final class ResponseJudge {

    static final String REFUSED = "mcp_unreadable_response";

    /** Enough to tell what a body holds, unless it begins with much white space; little, because a stream waits for it. */
    private static final int BEGINNING = 16;

    private static final int SWITCHING = 101;
    private static final int PARTIAL = 206;

    private final int maxEvent;

    ResponseJudge(int maxEvent) {
        this.maxEvent = maxEvent;
    }

    /** The decision about the response of an exchange. */
    ResponseStep step(McpExchange exchange) {
        return ResponseStep.inline(context -> head(context, exchange));
    }

    private ResponseDecision head(ResponseContext context, McpExchange exchange) {
        ResponseHead head = context.head();
        if (head.status() == SWITCHING) {
            return refuse("The server switches to a protocol that cannot be judged.", context, exchange);
        }
        if (head.interim()) {
            return ResponseDecision.proceed();
        }
        exchange.trail().through(context.trace());
        List<String> types = head.headers().all("Content-Type");
        boolean events =
                types.stream().anyMatch(type -> HeadCheck.mediaType(type).equals("text/event-stream"));
        boolean asked = exchange.listing() || !exchange.errors().isEmpty();
        if (types.size() > 1 && (events || asked)) {
            return refuse("The server's answer has more than one Content-Type.", context, exchange);
        }
        if (events) {
            return events(types.getFirst(), context, exchange);
        }
        boolean json = types.stream().anyMatch(ResponseJudge::isJson);
        if (json && !types.stream().allMatch(HeadCheck::isUtf8)) {
            return refuse("The server's JSON is not in UTF-8.", context, exchange);
        }
        return json
                ? whole(asked, true, head, exchange)
                : ResponseDecision.read(
                        Buffered.prefix(BEGINNING).independentOfCap(),
                        ResponseStep.inline(read -> undeclared(read, asked, exchange)));
    }

    /** A body that is declared to be neither JSON nor events: it is what it holds. */
    private ResponseDecision undeclared(ResponseContext context, boolean asked, McpExchange exchange) {
        byte[] beginning = context.body().copy();
        if (Event.mayBegin(beginning)) {
            return events("", context, exchange);
        }
        JsonDetector.Guess guess = JsonDetector.of(beginning);
        boolean json = guess == JsonDetector.Guess.JSON
                || (guess == JsonDetector.Guess.BLANK && context.body().truncated());
        return json || asked ? whole(asked, false, context.head(), exchange) : ResponseDecision.proceed();
    }

    /** @param declared whether clients read it as JSON, however it begins */
    private ResponseDecision whole(boolean asked, boolean declared, ResponseHead head, McpExchange exchange) {
        return asked
                ? read(Buffered.whole(maxEvent), head, read -> json(read, declared, exchange))
                : read(Buffered.prefix(maxEvent), head, read -> unasked(read, exchange));
    }

    /** Reads a body and judges it: on the event loop if it is known to be short. */
    private static ResponseDecision read(
            Buffered access, ResponseHead head, Function<ResponseContext, ResponseDecision> judge) {
        boolean brief = head.contentLength().orElse(Long.MAX_VALUE) <= McpInterceptor.ON_LOOP
                && !head.headers().contains("Content-Encoding");
        return ResponseDecision.read(
                access.independentOfCap(),
                brief ? ResponseStep.inline(judge::apply) : ResponseStep.blocking(judge::apply));
    }

    /** Whether clients read a body of this type as JSON; some search for the name anywhere in the type. */
    private static boolean isJson(String contentType) {
        String media = HeadCheck.mediaType(contentType);
        return contentType.toLowerCase(Locale.ROOT).contains("application/json")
                || media.endsWith("+json")
                || media.equals("text/json");
    }

    /**
     * A list that was not asked for in this exchange: clients match answers by id, whichever request they arrive with.
     */
    private ResponseDecision unasked(ResponseContext context, McpExchange exchange) {
        exchange.trail().through(context.trace());
        ByteBuffer bytes = context.body().bytes();
        ListNameFinder finder = finder(exchange);
        if (finder.in(bytes, bytes.position(), bytes.limit()) || isWide(bytes)) {
            return context.body().truncated()
                    ? refuse("The server's answer is too long to be judged.", context, exchange)
                    : json(context, true, exchange);
        }
        if (!context.body().truncated()) {
            return ResponseDecision.proceed();
        }
        String tooLong = "The server's answer is too long to be judged.";
        return ResponseDecision.proceed(Edits.builder()
                .checkBody(new ListGuard(finder, () -> late(tooLong, exchange)))
                .build());
    }

    private static ListNameFinder finder(McpExchange exchange) {
        return ListNameFinder.of(exchange.policy().lists(), !exchange.policy().sampling());
    }

    /** Whether the text may be in an encoding that uses more than one byte for a character. */
    private static boolean isWide(ByteBuffer bytes) {
        for (int i = bytes.position(); i < bytes.limit(); i++) {
            if (bytes.get(i) == 0) {
                return true;
            }
        }
        return false;
    }

    /** Refuses a body while it is being read; a response that has begun is aborted. */
    static LateRejectException late(String detail, McpExchange exchange) {
        exchange.trail().unreadable();
        exchange.trail().tell();
        return new LateRejectException(Decision.reject(502, REFUSED, detail));
    }

    private ResponseDecision events(String type, ResponseContext context, McpExchange exchange) {
        String charset = HeadCheck.charset(type);
        if (!charset.isEmpty() && !charset.equals("utf-8") && !charset.equals("utf8")) {
            return refuse("The server's stream of events is not in UTF-8.", context, exchange);
        }
        if (context.head().status() == PARTIAL) {
            return refuse("The server's stream of events is incomplete (206).", context, exchange);
        }
        return ResponseDecision.proceed(Edits.builder()
                .rewriteBody(new SseFilter(exchange, finder(exchange), maxEvent, owed(exchange)))
                .build());
    }

    /** The pending errors for the client, each as an event. */
    private static byte[] owed(McpExchange exchange) {
        StringBuilder events = new StringBuilder();
        for (String error : exchange.errors()) {
            events.append("event: message\ndata: ").append(error).append("\n\n");
        }
        return events.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @param declared whether clients read it as JSON, however it begins */
    private ResponseDecision json(ResponseContext context, boolean declared, McpExchange exchange) {
        exchange.trail().through(context.trace());
        byte[] body = context.body().copy();
        boolean merges = !exchange.errors().isEmpty() && context.head().status() / 100 == 2;
        if (JsonDetector.of(body) != JsonDetector.Guess.JSON) {
            if (declared && finder(exchange).in(ByteBuffer.wrap(body), 0, body.length)) {
                return refuse("The server's answer is declared to be JSON but is not.", context, exchange);
            }
            return merges && accepted(context, body) ? answers(exchange) : ResponseDecision.proceed();
        }
        try {
            byte[] filtered = new MessageFilter(exchange).filter(body);
            exchange.trail().tell();
            if (!merges && filtered == null) {
                return ResponseDecision.proceed();
            }
            byte[] answer = filtered == null ? body : filtered;
            return ResponseDecision.proceed(Edits.builder()
                    .replaceBody(merges ? merged(answer, exchange.errors()) : answer)
                    .build());
        } catch (UnreadableException e) {
            return refuse(e.detail(), context, exchange);
        }
    }

    /** Whether the server only acknowledged the messages. */
    private static boolean accepted(ResponseContext context, byte[] body) {
        return context.head().status() != 200 || JsonDetector.of(body) == JsonDetector.Guess.BLANK;
    }

    /** The errors alone, when the server had nothing to answer. */
    private static ResponseDecision answers(McpExchange exchange) {
        return ResponseDecision.proceed(Edits.builder()
                .setStatus(200, "OK")
                .setHeader("Content-Type", ProxyMessages.JSON)
                .replaceBody(ProxyMessages.batch(exchange.errors()).getBytes(StandardCharsets.UTF_8))
                .build());
    }

    /** A batch of the server's answers and the errors; the server may have answered with a single message. */
    private static byte[] merged(byte[] answer, List<String> errors) {
        String text = new String(answer, StandardCharsets.ISO_8859_1);
        int from = text.indexOf('[') == firstCharacter(text) ? text.indexOf('[') + 1 : 0;
        int to = from > 0 ? text.lastIndexOf(']') : answer.length;
        boolean empty = text.substring(from, to).isBlank();
        ByteArrayOutputStream merged = new ByteArrayOutputStream(answer.length + 256);
        merged.write('[');
        merged.write(answer, from, to - from);
        if (!empty) {
            merged.write(',');
        }
        merged.writeBytes(String.join(",", errors).getBytes(StandardCharsets.UTF_8));
        merged.write(']');
        return merged.toByteArray();
    }

    private static int firstCharacter(String text) {
        int at = 0;
        while (at < text.length() && text.charAt(at) <= ' ') {
            at++;
        }
        return at;
    }

    private static ResponseDecision refuse(String detail, ResponseContext context, McpExchange exchange) {
        exchange.trail().through(context.trace());
        exchange.trail().unreadable();
        exchange.trail().tell();
        return ResponseDecision.refuse(REFUSED, detail);
    }
}
