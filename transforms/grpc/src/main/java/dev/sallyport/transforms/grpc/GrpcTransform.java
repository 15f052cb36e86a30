package dev.sallyport.transforms.grpc;

import dev.sallyport.grpc.ServerAddress;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Visibility;
import org.jspecify.annotations.Nullable;

/** Asks a server about matching requests and responses. */
final class GrpcTransform implements InlineTransform {

    private final GrpcConfig config;
    private final @Nullable RuleSet rules;
    private final RequestCall ask;

    /** @param rules null for everything */
    private GrpcTransform(GrpcConfig config, @Nullable RuleSet rules, RequestCall ask) {
        this.config = config;
        this.rules = rules;
        this.ask = ask;
    }

    static GrpcTransform create(GrpcConfig config, BuildContext context) throws ConfigException {
        Target target = target(config);
        TlsMaterial tls = TlsMaterial.load(config.tls());
        RuleSet rules = config.rules().isEmpty() ? null : context.rules(config.rules());
        ServerChannel channel = context.keep(
                new ServerChannel.Key(target, tls.fingerprint()),
                () -> new ServerChannel(
                        new ServerAddress(
                                target.host(), target.port(), config.tls().enabled()),
                        tls,
                        context.connector(),
                        context.scheduler()));
        CallMeters meters = new CallMeters(config.name(), context.meters());
        Server requests = Server.of(config, channel, meters, "request", context.maxBodyBytes(Direction.REQUEST));
        Server responses = Server.of(config, channel, meters, "response", context.maxBodyBytes(Direction.RESPONSE));
        ResponseCall back = new ResponseCall(responses, config.sendResponseBody());
        return new GrpcTransform(config, rules, new RequestCall(requests, back));
    }

    private static Target target(GrpcConfig config) throws ConfigException {
        try {
            return Target.parse(config.target());
        } catch (Target.MalformedException e) {
            throw new ConfigException("/target", e.problem(), e.expected()).causedBy(e);
        }
    }

    @Override
    public Decision decide(RequestContext context) {
        int rule = rules == null ? RequestCall.EVERYTHING : rules.match(context);
        if (rule == RuleSet.NO_MATCH) {
            return Decision.proceed();
        }
        if (config.sendRequestBody() && context.visibility() == Visibility.FULL) {
            return Decision.read(Buffered.whole(), RequestStep.async(read -> ask.about(read, read.body(), rule)));
        }
        return Decision.later(RequestStep.async(later -> ask.about(later, null, rule)));
    }

    @Override
    public String toString() {
        return "GrpcTransform[" + config.name() + "]";
    }
}
