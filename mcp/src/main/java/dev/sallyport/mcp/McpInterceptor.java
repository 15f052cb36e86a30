package dev.sallyport.mcp;

import dev.sallyport.mcp.json.JsonDetector;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import java.util.ArrayList;
import java.util.List;

/** Judges heads, and decides how much of a body must be read. */
final class McpInterceptor implements InlineTransform {

    /** The most bytes of one message that are ever buffered, whatever the configuration says. */
    static final int MAX_BUFFER = 1 << 28;

    /** A longer message is judged off the event loop, for whose other connections it would take too long. */
    static final int ON_LOOP = 16 * 1024;

    /** Likewise, where expressions are compared: one of them may take more than a microsecond for each byte. */
    private static final int COMPARED_ON_LOOP = 1024;

    /** Likewise, for a batch: the most messages. */
    private static final int BATCH_ON_LOOP = 100;

    /** Enough to tell whether a body begins like JSON, unless it begins with much white space. */
    private static final int BEGINNING = 64;

    /** Pins belong to a server's name: a server keeps its pins as long as it keeps its name. */
    private record PinsOf(String server) {}

    private final RuleSet rules;
    private final List<ServerPolicy> policyOfRule = new ArrayList<>();
    private final RequestJudge judge;
    private final ResponseJudge responses;
    private final DecisionCounter counter;
    private final Buffered whole;

    McpInterceptor(McpConfig config, BuildContext context) throws ConfigException {
        List<Rule> all = new ArrayList<>();
        for (McpConfig.Server server : config.servers()) {
            PinnedTools pins = context.keep(new PinsOf(server.name()), PinnedTools::new);
            ServerPolicy policy = new ServerPolicy(server, pins, config.limits().matched());
            for (Rule rule : server.rules()) {
                all.add(rule);
                policyOfRule.add(policy);
            }
        }
        rules = context.rules(all);
        counter = new DecisionCounter(context.meters());
        judge = new RequestJudge(config.error(), config.limits().batchItems());
        responses = new ResponseJudge((int) config.maxEventBytes());
        Long own = config.maxMessageBytes();
        long limit = Math.min(MAX_BUFFER, own != null ? own : context.maxBodyBytes(Direction.REQUEST));
        whole = Buffered.prefix(limit).independentOfCap();
    }

    @Override
    public Decision decide(RequestContext context) {
        int rule = rules.match(context);
        if (rule == RuleSet.NO_MATCH) {
            return Decision.proceed();
        }
        McpExchange exchange = McpExchange.of(policyOfRule.get(rule), counter, context);
        try {
            HeadCheck.check(context.head());
        } catch (BadMessageException bad) {
            return judge.refuse(bad, context, exchange);
        }
        RequestHead head = context.head();
        long length = head.contentLength().orElse(-1);
        if (length == 0) {
            return judge.passOther(false, context, exchange, responses);
        }
        boolean known =
                length > 0 && length <= whole.maxBytes() && !head.headers().contains("Content-Encoding");
        return known ? read(whole, exchange, length > ON_LOOP) : beginning(BEGINNING, exchange);
    }

    /** Reads a message to its end. */
    private Decision read(Buffered access, McpExchange exchange, boolean offLoop) {
        RequestStep look = offLoop
                ? RequestStep.blocking(read -> look(read, exchange, access, true))
                : RequestStep.inline(read -> look(read, exchange, access, false));
        return Decision.read(access, look).ifUnreadable(context -> unreadable(context, exchange));
    }

    /** Reads the beginning of a body whose length is not known. */
    private Decision beginning(int bytes, McpExchange exchange) {
        return read(bytes < whole.maxBytes() ? Buffered.prefix(bytes).independentOfCap() : whole, exchange, false);
    }

    /**
     * Looks at what has been read.
     *
     * @param access how much was to be read
     * @param offLoop whether this runs off the event loop
     */
    private Decision look(RequestContext context, McpExchange exchange, Buffered access, boolean offLoop) {
        exchange.trail().through(context.trace());
        Body body = context.body();
        if (body.carriesCredentials()) {
            exchange.trail().mask();
        }
        byte[] bytes = body.copy();
        JsonDetector.Guess guess = HeadCheck.saysJson(context.head()) && bytes.length > 0
                ? JsonDetector.Guess.JSON
                : JsonDetector.of(bytes);
        if (guess == JsonDetector.Guess.OTHER || (guess == JsonDetector.Guess.BLANK && !body.truncated())) {
            return judge.passOther(bytes.length > 0, context, exchange, responses);
        }
        if (body.truncated() && access.maxBytes() < whole.maxBytes()) {
            return access.maxBytes() < ON_LOOP ? beginning(ON_LOOP, exchange) : read(whole, exchange, true);
        }
        if (!offLoop && takesLong(bytes, exchange)) {
            return Decision.later(RequestStep.blocking(again -> look(again, exchange, access, true)));
        }
        return judge.judge(bytes, body.truncated(), context, exchange, responses);
    }

    private Decision.Reject unreadable(RequestContext context, McpExchange exchange) {
        exchange.trail().through(context.trace());
        return judge.refuse(
                BadMessageException.syntax("The content coding is broken, or expands too much."), context, exchange);
    }

    private static boolean takesLong(byte[] text, McpExchange exchange) {
        return (text.length > COMPARED_ON_LOOP && exchange.policy().comparesExpressions()) || isLongBatch(text);
    }

    /** Whether a text may be a batch of many messages, each of which is an object. */
    private static boolean isLongBatch(byte[] text) {
        boolean batch = false;
        int objects = 0;
        for (byte b : text) {
            batch |= b == '[' && objects == 0;
            objects += b == '{' ? 1 : 0;
        }
        return batch && objects > BATCH_ON_LOOP;
    }

    @Override
    public String toString() {
        return "McpInterceptor"
                + policyOfRule.stream().map(ServerPolicy::name).distinct().toList();
    }
}
