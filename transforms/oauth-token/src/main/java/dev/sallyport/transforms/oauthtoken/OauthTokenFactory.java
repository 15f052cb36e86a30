package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.toolkit.token.TokenInjection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Makes {@code oauth_token} transforms. */
public final class OauthTokenFactory implements TransformFactory<OauthTokenConfig> {

    private static final Descriptor<OauthTokenConfig> DESCRIPTOR = Descriptor.of(
            "oauth_token",
            OauthTokenConfig.class,
            "Mints OAuth 2.0 access tokens and puts them into requests; workloads get placeholders.");

    /** Longer than a token endpoint may take. */
    private static final Duration DEADLINE = Issuer.TIMEOUT.plusSeconds(5);

    @Override
    public Descriptor<OauthTokenConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(OauthTokenConfig config, Problems problems) {
        new Validation(problems).check(config);
    }

    /** Covers the destinations of the rules and the token endpoints; it injects nothing at the latter. */
    @Override
    public Capabilities capabilities(OauthTokenConfig config) {
        List<Rule> destinations = new ArrayList<>();
        List<Rule> scope = new ArrayList<>();
        for (OauthTokenConfig.Entry entry : config.tokens()) {
            destinations.addAll(entry.rules());
            Endpoint endpoint = Endpoint.parse(entry.tokenEndpoint());
            if (endpoint != null) {
                scope.add(endpoint.rule());
            }
        }
        scope.addAll(destinations);
        return TokenInjection.capabilities(scope, destinations, DEADLINE);
    }

    @Override
    public Transform create(OauthTokenConfig config, BuildContext context) throws ConfigException {
        return OauthToken.of(config, context);
    }
}
