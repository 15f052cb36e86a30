package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.toolkit.token.PlaceholderToken;
import dev.sallyport.toolkit.token.TokenInjection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Answers at token endpoints, and puts real tokens into requests. A request waits only while there is no token. */
final class OauthToken implements InlineTransform {

    private static final StubResponse STUB = PlaceholderToken.response().build();

    private final List<Endpoint> endpoints;
    private final List<Token> tokens;

    /** One entry. */
    private record Token(RuleSet rules, TokenInjection injection) {}

    private OauthToken(List<Endpoint> endpoints, List<Token> tokens) {
        this.endpoints = List.copyOf(endpoints);
        this.tokens = List.copyOf(tokens);
    }

    static OauthToken of(OauthTokenConfig config, BuildContext context) throws ConfigException {
        List<Endpoint> endpoints = new ArrayList<>();
        List<Token> tokens = new ArrayList<>();
        for (int i = 0; i < config.tokens().size(); i++) {
            OauthTokenConfig.Entry entry = config.tokens().get(i);
            Endpoint endpoint = Endpoint.parse(entry.tokenEndpoint());
            if (endpoint == null) {
                throw new ConfigException("/tokens/" + i + "/token_endpoint", "not the URL of a token endpoint", "");
            }
            endpoints.add(endpoint);
            tokens.add(token(entry, endpoint, i, context));
        }
        return new OauthToken(endpoints, tokens);
    }

    private static Token token(OauthTokenConfig.Entry entry, Endpoint endpoint, int index, BuildContext context)
            throws ConfigException {
        String pointer = "/tokens/" + index;
        if (endpoint.isExposed()) {
            context.warn(pointer + "/token_endpoint", "credentials would be sent without TLS");
        }
        Credentials credentials = Credentials.of(entry, pointer, context);
        TokenState state = context.keep(new TokenState.Key(entry.minting()), () -> new TokenState(context.clock()));
        String grant = entry.grant().label();
        RuleSet rules = context.rules(entry.rules());
        TokenInjection injection = new TokenInjection(
                state.cache(),
                new Issuer(entry, endpoint, credentials, state, context, pointer),
                entry.header(),
                entry.valuePrefix(),
                rules::reaches,
                entry.redactResponse(),
                entry.allowPlaintext(),
                entry.retryUnauthorized(),
                context.meters(),
                new TokenInjection.Facts("with the grant " + grant, "tokens[" + index + "]", Map.of("grant", grant)));
        context.onSecretChange(injection::forgetFormer);
        context.onSecretChange(() -> state.forgetFormer(credentials.refreshVersion()));
        return new Token(rules, injection);
    }

    /** The transform answers at token endpoints, even where the rules would not allow the destination. */
    @Override
    public Admission onConnect(ConnectContext context) {
        for (int i = 0; i < endpoints.size(); i++) {
            if (endpoints.get(i).isAt(context.target())) {
                return Admission.admit();
            }
        }
        return Admission.pass();
    }

    @Override
    public Decision decide(RequestContext context) {
        for (int i = 0; i < endpoints.size(); i++) {
            Endpoint endpoint = endpoints.get(i);
            if (endpoint.isAt(context.destination())
                    && endpoint.path().equals(context.head().decodedPath())) {
                context.trace().annotate("stubbed", "oauth2_token_endpoint");
                return Decision.respond(STUB);
            }
        }
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.rules.match(context) != RuleSet.NO_MATCH) {
                return token.injection.decide(context);
            }
        }
        return Decision.proceed();
    }

    @Override
    public String toString() {
        return "OauthToken[" + tokens.size() + " tokens]";
    }
}
