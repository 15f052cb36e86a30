package dev.sallyport.transforms.svcacctauth;

import com.google.auth.http.HttpTransportFactory;
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
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers where client libraries look for tokens, and puts real tokens into requests. */
final class SvcacctAuth implements InlineTransform {

    private final CloudStubs stubs;
    private final @Nullable RuleSet rules;
    private final TokenInjection injection;

    /** Accounts with equal settings share a token. */
    private record Key(SvcacctAuthConfig minting) {}

    private SvcacctAuth(CloudStubs stubs, @Nullable RuleSet rules, TokenInjection injection) {
        this.stubs = stubs;
        this.rules = rules;
        this.injection = injection;
    }

    static SvcacctAuth of(SvcacctAuthConfig config, BuildContext context, DefaultChain chain) throws ConfigException {
        CallerTransport transport = new CallerTransport(context.http());
        Account account = account(config, context, chain, () -> transport);
        TokenCache cache = context.keep(new Key(config.minting()), () -> new TokenCache(context.clock()));
        String email = account.identity().email();
        RuleSet rules = config.rules().isEmpty() ? null : context.rules(config.rules());
        TokenInjection injection = new TokenInjection(
                cache,
                new AccountMinter(account, () -> account.credentials().refreshAccessToken(), context),
                "Authorization",
                "Bearer",
                rules == null ? destination -> true : rules::reaches,
                config.redactResponse(),
                config.allowPlaintext(),
                config.retryUnauthorized(),
                context.meters(),
                new TokenInjection.Facts(
                        "for the service account", null, email == null ? Map.of() : Map.of("service_account", email)));
        context.onSecretChange(injection::forgetFormer);
        return new SvcacctAuth(CloudStubs.ofTokens(account, context.clock()), rules, injection);
    }

    private static Account account(
            SvcacctAuthConfig config, BuildContext context, DefaultChain chain, HttpTransportFactory transport)
            throws ConfigException {
        if (config.keyfilePath() != null || config.keyfile() != null) {
            return Account.Keyed.open(
                    config.keyfilePath(),
                    config.keyfile(),
                    context,
                    new Account.Purpose(config.scopes(), config.subject()),
                    transport);
        }
        try {
            return new Account.Provided(chain.find(transport).createScoped(config.scopes()));
        } catch (IOException e) {
            throw new ConfigException("/credentials_provider", String.valueOf(e.getMessage()), "").causedBy(e);
        }
    }

    /** The transform answers where tokens are issued, even where the rules would not allow the destination. */
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
        return rules == null || rules.match(context) != RuleSet.NO_MATCH
                ? injection.decide(context)
                : Decision.proceed();
    }

    @Override
    public String toString() {
        return "SvcacctAuth[]";
    }
}
