package dev.sallyport.transforms.oauthtoken;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.Allocations;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.toolkit.token.AccessToken;
import dev.sallyport.toolkit.token.Minter;
import dev.sallyport.toolkit.token.TokenCache;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A token that is there costs no object, and no lock. */
class AllocationTest {

    @Test
    void lookUpOfAValidTokenCostsNoObject() throws Exception {
        Minter minter = new Minter() {
            @Override
            public long credentials() {
                return 1;
            }

            @Override
            public AccessToken mint() {
                return new AccessToken("minted-token-1", Duration.ofHours(1));
            }
        };
        try (TokenCache cache = new TokenCache(Clock.systemUTC())) {
            AccessToken token = cache.await(minter).toCompletableFuture().get(Patience.SECONDS, TimeUnit.SECONDS);

            assertThat(cache.current(minter)).isSameAs(token);
            assertThat(Allocations.bytesPerCall(() -> cache.current(minter))).isZero();
        }
    }
}
