package dev.sallyport.transforms.judge;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.RuleSet;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Asks a model about what matches. The beginning of a body is waited for; the body itself goes on whole. */
final class Judge implements InlineTransform {

    /** What outlives a reload that leaves the entry as it is. */
    record State(Breaker breaker, Slots slots) {}

    /** Whose state it is. */
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
                        new Slots(config.maxConcurrent(), context.scheduler())));
        this.http = context.http();
        this.meters = new JudgeMeters(config.name(), context.meters());
    }

    private static String key(String variable, BuildContext context) throws ConfigException {
        String key = context.environment(variable);
        if (key == null || key.isEmpty()) {
            throw new ConfigException(
                    "/provider/api_key_env",
                    "environment variable " + variable + (key == null ? " is not set" : " is empty"),
                    "one that holds the provider's key");
        }
        if (key.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new ConfigException(
                    "/provider/api_key_env",
                    "environment variable " + variable + " holds what cannot stand in a header",
                    "a key of visible ASCII characters");
        }
        return key;
    }

    @Override
    public Decision decide(RequestContext context) {
        if (rules.match(context) == RuleSet.NO_MATCH) {
            return Decision.proceed();
        }
        // The other side of a conversation may wait for an answer before it goes on.
        return conversation(context.head())
                ? Decision.later(RequestStep.async(later -> ask(later, null)))
                : Decision.read(
                        Buffered.prefix(Envelope.MAX_BODY).independentOfCap(),
                        RequestStep.async(read -> ask(read, read.body())));
    }

    private CompletionStage<Decision> ask(RequestContext context, @Nullable Body body) {
        String envelope = Envelope.of(context, body, credentials);
        return new Inquiry(config, state, http, model.question(envelope), model, context.trace(), meters).start();
    }

    private static boolean conversation(RequestHead head) {
        String type = head.headers().first("Content-Type");
        return type != null && type.regionMatches(true, 0, "application/grpc", 0, "application/grpc".length());
    }

    @Override
    public String toString() {
        return "Judge[" + config.name() + "]";
    }
}
