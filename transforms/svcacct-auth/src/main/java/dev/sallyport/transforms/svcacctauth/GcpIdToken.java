package dev.sallyport.transforms.svcacctauth;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.toolkit.token.TokenCache;
import dev.sallyport.toolkit.token.TokenInjection;
import java.util.List;
import java.util.Map;

/** Answers where client libraries look for ID tokens, and puts real ones into requests. */
final class GcpIdToken implements InlineTransform {

    private final CloudStubs stubs;
    private final RuleSet rules;
    private final TokenInjection injection;

    /** Entries that mint alike share a token. */
    private record Key(GcpIdTokenConfig minting) {}

    private GcpIdToken(CloudStubs stubs, RuleSet rules, TokenInjection injection) {
        this.stubs = stubs;
        this.rules = rules;
        this.injection = injection;
    }

    static GcpIdToken of(GcpIdTokenConfig config, BuildContext context) throws ConfigException {
        CallerTransport transport = new CallerTransport(context.http());
        Account.Keyed account = Account.Keyed.open(
                config.keyfilePath(), config.keyfile(), context, new Account.Purpose(List.of(), null), () -> transport);
        TokenCache cache = context.keep(new Key(config.minting()), () -> new TokenCache(context.clock()));
        String email = account.identity().email();
        RuleSet rules = context.rules(config.rules());
        TokenInjection injection = new TokenInjection(
                cache,
                new AccountMinter(
                        account, () -> account.key().idTokenWithAudience(config.audience(), List.of()), context),
                config.header().text(),
                "Bearer",
                rules::reaches,
                config.redactResponse(),
                config.allowPlaintext(),
                config.retryUnauthorized(),
                context.meters(),
                new TokenInjection.Facts(
                        "ID token",
                        "for the service account",
                        null,
                        email == null ? Map.of() : Map.of("service_account", email)));
        context.onSecretChange(injection::forgetFormer);
        return new GcpIdToken(CloudStubs.ofIdentity(account, context.clock()), rules, injection);
    }

    @Override
    public Admission onConnect(ConnectContext context) {
        return stubs.answersAt(context.target().host()) ? Admission.admit() : Admission.pass();
    }

    @Override
    public Decision decide(RequestContext context) {
        StubResponse stub = stubs.answer(context);
        if (stub != null) {
            return Decision.respond(stub);
        }
        return rules.match(context) != RuleSet.NO_MATCH ? injection.decide(context) : Decision.proceed();
    }

    @Override
    public String toString() {
        return "GcpIdToken[]";
    }
}
