package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.JsonParser;
import dev.sallyport.mcp.json.JsonSyntaxException;
import dev.sallyport.mcp.json.Names;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges what a client sends. Thread-safe. */
final class RequestJudge {

    /** Shorter values are not redacted in responses either. */
    private static final int SHORTEST_CREDENTIAL = 8;

    private static final Names ID = Names.of("id");
    private static final String DENIED = "mcp_denied";
    private static final String REFUSED = "mcp_bad_message";
    private static final String DETAIL = "The policy for this MCP server does not allow the message.";

    private final McpConfig.ErrorAnswer error;
    private final int batchItems;

    /** @param batchItems the most messages in a batch */
    RequestJudge(McpConfig.ErrorAnswer error, int batchItems) {
        this.error = error;
        this.batchItems = batchItems;
    }

    /** Forwards a request and judges its response. */
    Decision pass(Edits edits, McpExchange exchange, ResponseJudge responses) {
        exchange.trail().tell();
        return Decision.proceed(edits, responses.step(exchange));
    }

    /** Forwards a request whose body is not JSON. */
    Decision passOther(boolean body, RequestContext context, McpExchange exchange, ResponseJudge responses) {
        try {
            HeaderAgreement.checkWithoutMessage(context.head().headers());
        } catch (BadMessageException bad) {
            return refuse(bad, context, exchange);
        }
        if (body && context.head().method().equals("POST")) {
            context.trace().annotate("note", DenialReasons.NOT_JSON_RPC);
            exchange.trail().passed(DenialReasons.NOT_JSON_RPC);
        }
        return pass(Edits.none(), exchange, responses);
    }

    /** Refuses a request whose head alone is not clear, or whose body nobody can read. */
    Decision.Reject refuse(BadMessageException bad, RequestContext context, McpExchange exchange) {
        return refuse(bad, "null", context, exchange);
    }

    /**
     * Refuses a body that is not a message, or not clearly one.
     *
     * @param id of the request, as the client spelled it, or {@code null}
     */
    private static Decision.Reject refuse(
            BadMessageException bad, String id, RequestContext context, McpExchange exchange) {
        exchange.trail().refused(bad.reason());
        exchange.trail().tell();
        boolean forbidden = bad.reason().equals(DenialReasons.TRANSPORT);
        Decision.Reject reject = Decision.reject(forbidden ? 403 : 400, REFUSED, bad.detail());
        return forbidden
                ? reject
                : reject.with(ProxyMessages.json(
                        400, ProxyMessages.error(id, bad.code(), bad.detail(), bad.reason(), context.exchangeId())));
    }

    /** Judges a body that begins like JSON or is declared to be JSON. */
    Decision judge(
            byte[] body, boolean truncated, RequestContext context, McpExchange exchange, ResponseJudge responses) {
        try {
            if (truncated) {
                throw BadMessageException.because(DenialReasons.OVERSIZE, "The message is too long to be judged.");
            }
            RequestHead head = context.head();
            boolean judged = head.method().equals("POST") && !exchange.policy().passesOtherJson();
            Json json = parse(body, judged ? batchItems : Integer.MAX_VALUE);
            boolean scalar = !(json instanceof Json.Obj) && !(json instanceof Json.Arr);
            // A string may hold a message for a server that parses twice.
            if (scalar && (json instanceof Json.Text || !exchange.policy().passesOtherJson())) {
                throw BadMessageException.invalid("A message is a JSON object.");
            }
            if (!head.method().equals("POST")) {
                return other(json, head, exchange, responses);
            }
            if (exchange.policy().passesOtherJson() && !HeadCheck.namesJsonRpc(json)) {
                return passOther(true, context, exchange, responses);
            }
            HeaderAgreement.check(head.headers(), json);
            return json instanceof Json.Arr batch
                    ? batch(body, batch, context, exchange, responses)
                    : single(body, Message.of(json), context, exchange, responses);
        } catch (BadMessageException bad) {
            return refuse(bad, truncated ? "null" : id(body, context), context, exchange);
        }
    }

    /** The id of a message that is refused, where it can be read and echoed; else {@code null}. */
    private static String id(byte[] body, RequestContext context) {
        try {
            if (!(JsonParser.parseRepeating(body) instanceof Json.Obj message) || ID.resembledIn(message)) {
                return "null";
            }
            Json id = message.get("id");
            if (id == null || !Message.identifies(id) || (context.body().carriesCredentials() && !harmless(id))) {
                return "null";
            }
            return spelled(body, id);
        } catch (JsonSyntaxException e) {
            return "null";
        }
    }

    private static String spelled(byte[] body, Json value) {
        return new String(body, value.start(), value.end() - value.start(), StandardCharsets.UTF_8);
    }

    /** @param items of a batch with more it is enough to know that */
    private static Json parse(byte[] body, int items) throws BadMessageException {
        try {
            return JsonParser.parseUpTo(body, items);
        } catch (JsonSyntaxException e) {
            throw BadMessageException.syntax("The body is ambiguous: " + e.getMessage() + ".");
        }
    }

    /** JSON with a method other than POST: no MCP transport sends messages so. */
    private Decision other(Json json, RequestHead head, McpExchange exchange, ResponseJudge responses)
            throws BadMessageException {
        HeaderAgreement.checkWithoutMessage(head.headers());
        boolean message = HeadCheck.isMessage(json)
                || (json instanceof Json.Arr array && array.items().stream().anyMatch(HeadCheck::isMessage));
        if (message) {
            throw BadMessageException.invalid("A message of JSON-RPC is sent with POST.");
        }
        return pass(Edits.none(), exchange, responses);
    }

    private Decision single(
            byte[] body, Message message, RequestContext context, McpExchange exchange, ResponseJudge responses)
            throws BadMessageException {
        Verdict verdict = exchange.policy().judge(message, exchange.origin());
        exchange.trail().message(message, verdict);
        if (verdict.reason() == null) {
            exchange.forwarded(message);
            return pass(original(body, context.head()), exchange, responses);
        }
        String answer = message.isRequest() ? error(body, message, verdict.reason(), context) : null;
        exchange.trail().tell();
        return deny(answer, context.head());
    }

    private Decision batch(
            byte[] body, Json.Arr batch, RequestContext context, McpExchange exchange, ResponseJudge responses)
            throws BadMessageException {
        if (batch.items().size() > batchItems) {
            exchange.trail().refused(DenialReasons.LIMIT);
            exchange.trail().tell();
            return deny(
                    ProxyMessages.error(
                            "null", error.code(), error.message(), DenialReasons.LIMIT, context.exchangeId()),
                    context.head());
        }
        List<Message> messages = messages(batch);
        List<Message> allowed = new ArrayList<>();
        List<Verdict> verdicts = new ArrayList<>();
        for (Message message : messages) {
            verdicts.add(exchange.policy().judge(message, exchange.origin()));
        }
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            String reason = verdicts.get(i).reason();
            exchange.trail().message(message, verdicts.get(i));
            if (reason == null) {
                exchange.forwarded(message);
                allowed.add(message);
            } else if (message.isRequest()) {
                exchange.owes(error(body, message, reason, context));
            }
        }
        if (allowed.size() == messages.size()) {
            return pass(original(body, context.head()), exchange, responses);
        }
        boolean answers = !exchange.errors().isEmpty();
        if (allowed.isEmpty() || (answers && legacy(context.head()))) {
            exchange.trail().tell();
            return deny(answers ? ProxyMessages.batch(exchange.errors()) : null, context.head());
        }
        context.trace().warn();
        return pass(Edits.builder().replaceBody(joined(body, allowed)).build(), exchange, responses);
    }

    private static List<Message> messages(Json.Arr batch) throws BadMessageException {
        if (batch.items().isEmpty()) {
            throw BadMessageException.invalid("The batch is empty.");
        }
        List<Message> messages = new ArrayList<>(batch.items().size());
        Set<String> ids = new HashSet<>();
        for (Json item : batch.items()) {
            Message message = Message.of(item);
            messages.add(message);
            if (message.isRequest() && message.id() != null && !ids.add(McpExchange.spelled(message.id()))) {
                throw BadMessageException.invalid("Two requests of the batch have the same id.");
            }
        }
        return messages;
    }

    /** A batch of these messages, in the bytes that the client sent. */
    private static byte[] joined(byte[] body, List<Message> messages) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream(body.length);
        for (int i = 0; i < messages.size(); i++) {
            Json.Obj json = messages.get(i).json();
            joined.write(i == 0 ? '[' : ',');
            joined.write(body, json.start(), json.end() - json.start());
        }
        joined.write(']');
        return joined.toByteArray();
    }

    private String error(byte[] body, Message message, String reason, RequestContext context)
            throws BadMessageException {
        Json id = Objects.requireNonNull(message.id(), "id");
        if (context.body().carriesCredentials() && !harmless(id)) {
            throw BadMessageException.because(reason, "The message is denied, and its id cannot be echoed.");
        }
        return ProxyMessages.error(spelled(body, id), error.code(), error.message(), reason, context.exchangeId());
    }

    /** Whether an id may be echoed to the client: no redacted credential is this short. */
    private static boolean harmless(Json id) {
        return id instanceof Json.Num number && number.spelling().length() < SHORTEST_CREDENTIAL;
    }

    /** @param answer null when no denied message needs an answer */
    private static Decision deny(@Nullable String answer, RequestHead head) {
        Decision.Reject reject = Decision.reject(403, DENIED, DETAIL);
        if (answer == null) {
            return reject.with(ProxyMessages.accepted());
        }
        return reject.with(ProxyMessages.json(legacy(head) ? 403 : 200, answer));
    }

    /**
     * Whether a message uses the transport of 2024-11-05, whose clients read answers from the stream of another
     * exchange and only the status from the answer to a POST. Its URLs name a session; its POSTs neither name one in a
     * field nor accept a stream. SDKs send {@code MCP-Protocol-Version} with it too.
     */
    private static boolean legacy(RequestHead head) {
        if (head.headers().contains("Mcp-Session-Id")) {
            return false;
        }
        for (String accept : head.headers().all("Accept")) {
            if (accept.toLowerCase(Locale.ROOT).contains("text/event-stream")) {
                return false;
            }
        }
        for (String parameter : head.query().toLowerCase(Locale.ROOT).split("&", -1)) {
            if (parameter.startsWith("sessionid=") || parameter.startsWith("session_id=")) {
                return true;
            }
        }
        return false;
    }

    /**
     * Forwards a body in its original bytes. A coded one is encoded again: decoders differ about what follows the coded
     * data.
     */
    private static Edits original(byte[] body, RequestHead head) {
        for (String coding : head.headers().all("Content-Encoding")) {
            if (!coding.strip().equalsIgnoreCase("identity")) {
                return Edits.builder().replaceBody(body).build();
            }
        }
        return Edits.none();
    }
}
