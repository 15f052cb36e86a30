package dev.sallyport.transforms.oauthtoken;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testsupport.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** An issuer that replaces refresh tokens must never see one of them twice. */
class RefreshRaceTest {

    private static final int MANY = 20;

    private final AtomicReference<Parts> made = new AtomicReference<>();

    private record Parts(Issuer issuer, Credentials credentials, TokenState state) {}

    /** Makes the issuer of the first entry, and nothing of it. */
    private record Bare(AtomicReference<Parts> made) implements TransformFactory<OauthTokenConfig> {

        @Override
        public Descriptor<OauthTokenConfig> descriptor() {
            return Descriptor.of("bare", OauthTokenConfig.class, "An issuer without a cache.");
        }

        @Override
        public Transform create(OauthTokenConfig config, BuildContext context) throws ConfigException {
            OauthTokenConfig.Entry entry = config.tokens().getFirst();
            Endpoint endpoint = Objects.requireNonNull(Endpoint.parse(entry.tokenEndpoint()));
            Credentials credentials = Credentials.of(entry, "/tokens/0", context);
            TokenState state = new TokenState(context.clock());
            Issuer issuer = new Issuer(entry, endpoint, credentials, state, context, "/tokens/0");
            made.set(new Parts(issuer, credentials, state));
            return (InlineTransform) request -> Decision.proceed();
        }
    }

    @Test
    void mintsThatOverlapShowEachRefreshTokenOnce() throws Exception {
        try (Setup setup = new Setup()) {
            setup.server.rotates = true;
            try (TransformHarness harness = start(setup)) {
                List<CompletableFuture<String>> minted = new ArrayList<>();
                for (int i = 0; i < MANY; i++) {
                    minted.add(mint());
                }
                for (CompletableFuture<String> one : minted) {
                    assertThat(one.get(Patience.SECONDS, TimeUnit.SECONDS)).startsWith("minted-token-");
                }
                assertThat(setup.server.asked).hasValue(MANY);
            }
        }
    }

    @Test
    void aRefreshTokenThatComesAfterTheConfiguredOneHasChangedIsNotKept() throws Exception {
        try (Setup setup = new Setup();
                TransformHarness harness = start(setup)) {
            Parts parts = made.get();
            long former = parts.credentials().refreshVersion();
            setup.server.instead = request -> {
                harness.rotate("REFRESH", "another-refresh-token");
                parts.state().forgetFormer(parts.credentials().refreshVersion());
                return TestResponse.ok(
                        "{\"access_token\":\"minted-token\",\"expires_in\":60,\"refresh_token\":\"rotated\"}");
            };

            assertThat(mint().get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("minted-token");

            assertThat(parts.credentials().refreshVersion()).isNotEqualTo(former);
            assertThat(parts.state().refreshToken(former)).isNull();
        }
    }

    private TransformHarness start(Setup setup) {
        String yaml = """
                transforms:
                  - name: bare
                    config: {tokens: [{%s, token_endpoint: '%s', rules: [{host: a.example}]}]}
                """.formatted(Setup.REFRESH_TOKEN, setup.endpoint);
        return TransformHarness.of(yaml)
                .factory(new Bare(made))
                .secrets(setup.secrets)
                .http(setup.caller)
                .start();
    }

    private CompletableFuture<String> mint() {
        CompletableFuture<String> token = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                token.complete(made.get().issuer().mint().value());
            } catch (Exception e) {
                token.completeExceptionally(e);
            }
        });
        return token;
    }
}
