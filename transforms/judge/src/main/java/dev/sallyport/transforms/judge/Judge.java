package dev.sallyport.transforms.judge;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Trace;
import java.util.concurrent.CompletionStage;

/** Asks a model about matching requests. Waits for the beginning of a body and forwards the body whole. */
final class Judge implements InlineTransform {

    /** State that survives a reload that does not change the entry. */
    record State(Breaker breaker, CallLimiter limiter) {}

    /** The owner of the state. */
    private record Key(JudgeConfig config) {}

    private final JudgeConfig config;
    private final RuleSet rules;
    private final Model model;
    private final Credentials credentials;
    private final State state;
    private final HttpCaller http;
    private final JudgeMeters meters;

    Judge(JudgeConfig config, BuildContext context) throws ConfigException {
        this.config = config;
        this.rules = context.rules(config.rules());
        this.model = Model.of(config, key(config.provider().apiKeyEnv(), context));
        this.credentials = new Credentials(context.placeholders());
        this.state = context.keep(
                new Key(config),
                () -> new State(
                        new Breaker(context.clock(), config.circuitBreaker()),
                        new CallLimiter(config.maxConcurrent(), context.scheduler())));
        this.http = context.http();
        this.meters = new JudgeMeters(config.name(), context.meters());
    }

    private static String key(String variable, BuildContext context) throws ConfigException {
        String key = context.environment(variable);
        if (key == null || key.isEmpty()) {
            throw new ConfigException(
                    "/provider/api_key_env",
                    "environment variable " + variable + (key == null ? " is not set" : " is empty"),
                    "a variable that holds the provider's key");
        }
        if (key.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new ConfigException(
                    "/provider/api_key_env",
                    "environment variable " + variable + " holds characters that a header cannot have",
                    "a key of visible ASCII characters");
        }
        return key;
    }

    @Override
    public Decision decide(RequestContext context) {
        int rule = rules.match(context);
        if (rule == RuleSet.NO_MATCH) {
            return Decision.proceed();
        }
        if (!GrpcMessage.isCall(context)) {
            return Decision.read(
                    Buffered.prefix(Envelope.MAX_BODY).independentOfCap(),
                    RequestStep.async(read -> ask(read, Envelope.of(read, credentials), rule)));
        }
        // The sender of a stream may wait for an answer before it continues, so only the first message is read.
        return Decision.read(
                Buffered.first(GrpcMessage.PREFIX).independentOfCap(),
                RequestStep.inline(read -> message(read.body(), rule)));
    }

    private Decision message(Body prefix, int rule) {
        long length = GrpcMessage.length(prefix);
        RequestStep ask = RequestStep.async(read -> ask(read, Envelope.ofCall(read, credentials), rule));
        return length > GrpcMessage.PREFIX
                ? Decision.read(Buffered.first(length).independentOfCap(), ask)
                : Decision.later(ask);
    }

    private CompletionStage<Decision> ask(RequestContext context, Envelope envelope, int rule) {
        Trace trace = context.trace();
        if (!envelope.unseen().isEmpty()) {
            trace.annotate("warnings", envelope.unseen());
        }
        return new JudgeCall(config, rule, state, http, envelope.text(), model, trace, meters).start();
    }

    @Override
    public String toString() {
        return "Judge[" + config.name() + "]";
    }
}
