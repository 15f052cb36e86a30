package dev.sallyport.toolkit.token;

import static dev.sallyport.toolkit.token.ScriptedMinter.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, section 7: cached, renewed ahead of the end by one mint at a time. */
class TokenCacheTest {

    private final TestClock clock = new TestClock();
    private final TokenCache cache = new TokenCache(clock);
    private final ScriptedMinter minter = new ScriptedMinter();

    /** Time that passes when a test says so. */
    private static final class TestClock extends Clock {
        private final AtomicLong millis = new AtomicLong(1_900_000_000_000L);

        void advance(Duration by) {
            millis.addAndGet(by.toMillis());
        }

        @Override
        public long millis() {
            return millis.get();
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private CompletableFuture<AccessToken> ask() {
        return cache.await(minter).toCompletableFuture();
    }

    private static String value(CompletableFuture<AccessToken> asked) throws Exception {
        return asked.get(30, TimeUnit.SECONDS).value();
    }

    private void mint(AccessToken token) throws Exception {
        CompletableFuture<AccessToken> asked = ask();
        minter.begun().complete(token);
        assertThat(value(asked)).isEqualTo(token.value());
    }

    private void fail(MintException failure) throws Exception {
        CompletableFuture<AccessToken> asked = ask();
        minter.begun().fail(failure);
        assertFails(asked, failure.reason());
    }

    private static void assertFails(CompletableFuture<AccessToken> asked, String reason) {
        assertThatThrownBy(() -> asked.get(30, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(MintException.class)
                .hasMessage(reason);
    }

    private String current() {
        AccessToken token = cache.current(minter);
        return token == null ? "none" : token.value();
    }

    @Test
    void thousandWhoAskTogetherCauseOneMint() throws Exception {
        List<CompletableFuture<AccessToken>> asked = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(1000);
        for (int i = 0; i < 1000; i++) {
            CompletableFuture<AccessToken> mine = new CompletableFuture<>();
            asked.add(mine);
            Thread.ofVirtual().start(() -> {
                cache.await(minter).whenComplete((token, failure) -> mine.complete(token));
                ready.countDown();
            });
        }
        assertThat(ready.await(30, TimeUnit.SECONDS)).isTrue();
        minter.begun().complete(token("first", 3600));

        for (CompletableFuture<AccessToken> one : asked) {
            assertThat(value(one)).isEqualTo("first");
        }
        assertThat(minter.mints()).isEqualTo(1);
        assertThat(current()).isEqualTo("first");
    }

    @Test
    void refusedTokenIsGivenUpAtMostOnceInTenSeconds() throws Exception {
        mint(token("first", 3600));
        AccessToken first = cache.current(minter);
        assertThat(cache.refused(first)).isEqualTo(TokenCache.Refused.GIVEN_UP);
        assertThat(current()).isEqualTo("none");
        mint(token("second", 3600));
        AccessToken second = cache.current(minter);

        assertThat(cache.refused(first)).isEqualTo(TokenCache.Refused.REPLACED);
        clock.advance(Duration.ofSeconds(10).minusMillis(1));
        assertThat(cache.refused(second)).isEqualTo(TokenCache.Refused.KEPT);
        assertThat(current()).isEqualTo("second");
        clock.advance(Duration.ofMillis(1));
        assertThat(cache.refused(second)).isEqualTo(TokenCache.Refused.GIVEN_UP);
        assertThat(current()).isEqualTo("none");
    }

    /** At 80 % or 60 s before the end, whichever is later. */
    @ParameterizedTest
    @CsvSource({"3600, 3540", "600, 540", "300, 240", "200, 160", "60, 48"})
    void tokenIsRenewedAheadOfItsEnd(int lifetime, int refreshAt) throws Exception {
        mint(token("first", lifetime));
        clock.advance(Duration.ofSeconds(refreshAt).minusMillis(1));
        assertThat(current()).isEqualTo("first");
        assertThat(minter.mints()).isEqualTo(1);

        clock.advance(Duration.ofMillis(1));
        assertThat(current()).isEqualTo("first");
        ScriptedMinter.Begun second = minter.begun();
        assertThat(current()).isEqualTo("first");
        assertThat(current()).isEqualTo("first");
        second.complete(token("second", lifetime));

        assertThat(current()).isEqualTo("second");
        assertThat(minter.mints()).isEqualTo(2);
    }

    @Test
    void nobodyAsksNobodyMints() throws Exception {
        mint(token("first", 3600));
        clock.advance(Duration.ofHours(20));
        assertThat(minter.mints()).isEqualTo(1);
        assertThat(current()).isEqualTo("none");
        mint(token("second", 3600));
    }

    @ParameterizedTest
    @CsvSource({"3600, 3590", "50, 45"})
    void tokenIsNotHandedOutRightBeforeItsEnd(int lifetime, int last) throws Exception {
        mint(token("first", lifetime));
        clock.advance(Duration.ofSeconds(last).minusMillis(1));
        assertThat(current()).isEqualTo("first");
        clock.advance(Duration.ofMillis(1));
        assertThat(current()).isEqualTo("none");
    }

    @Test
    void lifetimeCountsFromTheBeginningOfTheMint() throws Exception {
        CompletableFuture<AccessToken> asked = ask();
        ScriptedMinter.Begun mint = minter.begun();
        clock.advance(Duration.ofSeconds(30));
        mint.complete(token("slow", 60));
        assertThat(value(asked)).isEqualTo("slow");
        clock.advance(Duration.ofSeconds(24));
        assertThat(current()).isEqualTo("none");
    }

    @Test
    void tokenStaysThoughRenewalsFailUntilOneSucceeds() throws Exception {
        mint(token("first", 3600));
        clock.advance(Duration.ofMinutes(59));
        assertThat(current()).isEqualTo("first");
        minter.begun().fail(new MintException("server_error"));
        for (int pause : List.of(1, 2, 4)) {
            clock.advance(Duration.ofSeconds(pause).minusMillis(1));
            int mints = minter.mints();
            assertThat(current()).isEqualTo("first");
            assertThat(minter.mints()).isEqualTo(mints);
            clock.advance(Duration.ofMillis(1));
            assertThat(current()).isEqualTo("first");
            minter.begun().fail(new MintException("server_error"));
        }
        clock.advance(Duration.ofSeconds(8));
        assertThat(current()).isEqualTo("first");
        minter.begun().complete(token("second", 3600));
        assertThat(current()).isEqualTo("second");
    }

    @Test
    void failureIsSharedAndStandsForDoublingTimes() throws Exception {
        CompletableFuture<AccessToken> one = ask();
        CompletableFuture<AccessToken> other = ask();
        minter.begun().fail(new MintException("invalid_grant"));
        assertFails(one, "invalid_grant");
        assertFails(other, "invalid_grant");

        int mints = 1;
        for (int seconds : List.of(1, 2, 4, 8, 16, 30, 30)) {
            clock.advance(Duration.ofSeconds(seconds).minusMillis(1));
            assertFails(ask(), "invalid_grant");
            assertThat(minter.mints()).isEqualTo(mints);
            clock.advance(Duration.ofMillis(1));
            fail(new MintException("invalid_grant"));
            mints++;
        }
        clock.advance(Duration.ofSeconds(30));
        mint(token("late", 60));
        clock.advance(Duration.ofMinutes(1));
        fail(new MintException("server_error"));
        clock.advance(Duration.ofSeconds(1));
        mint(token("later", 60));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "7, 7", "300, 300", "86400, 300"})
    void issuerThatAsksForPeaceGetsItWithinBounds(int asked, int seconds) throws Exception {
        fail(new MintException("temporarily_unavailable", Duration.ofSeconds(asked)));
        clock.advance(Duration.ofSeconds(seconds).minusMillis(1));
        assertFails(ask(), "temporarily_unavailable");
        assertThat(minter.mints()).isEqualTo(1);
        clock.advance(Duration.ofMillis(1));
        mint(token("first", 60));
    }

    @Test
    void changedCredentialGivesUpTheTokenOfTheOneBefore() throws Exception {
        mint(token("first", 3600));
        minter.rotate();
        assertThat(current()).isEqualTo("none");
        mint(token("second", 3600));
        assertThat(current()).isEqualTo("second");
    }

    @Test
    void changedCredentialGivesUpTheFailureOfTheOneBefore() throws Exception {
        fail(new MintException("invalid_client"));
        minter.rotate();
        mint(token("first", 3600));
    }

    @Test
    void whatWasMintedWithTheCredentialBeforeServesNobody() throws Exception {
        CompletableFuture<AccessToken> before = ask();
        ScriptedMinter.Begun late = minter.begun();
        minter.rotate();
        CompletableFuture<AccessToken> after = ask();
        minter.begun().complete(token("second", 3600));
        assertThat(value(after)).isEqualTo("second");
        late.complete(token("first", 3600));

        assertThat(value(before)).isEqualTo("second");
        assertThat(current()).isEqualTo("second");
    }

    @Test
    void whoWaitsForAMintWithTheCredentialBeforeWaitsForAnother() throws Exception {
        CompletableFuture<AccessToken> asked = ask();
        ScriptedMinter.Begun late = minter.begun();
        minter.rotate();
        late.complete(token("first", 3600));
        assertThat(asked).isNotDone();

        minter.begun().fail(new MintException("credential_unavailable"));
        assertFails(asked, "credential_unavailable");
        assertThat(current()).isEqualTo("none");
    }

    @Test
    void aTokenOfTheCredentialBeforeIsForgotten() throws Exception {
        AccessToken first = token("first", 3600);
        mint(first);
        cache.forgetFormer(minter);
        assertThat(cache.holds(first)).isTrue();

        minter.rotate();
        cache.forgetFormer(minter);
        assertThat(cache.holds(first)).isFalse();
    }

    @Test
    void whoGivesUpWaitingDoesNotEndTheMint() throws Exception {
        CompletableFuture<AccessToken> impatient = ask();
        CompletableFuture<AccessToken> patient = ask();
        ScriptedMinter.Begun mint = minter.begun();
        impatient.cancel(true);
        mint.complete(token("first", 60));
        assertThat(value(patient)).isEqualTo("first");
        assertThat(minter.mints()).isEqualTo(1);
    }

    @Test
    void tokenWithoutLifetimeServesThoseWhoWait() throws Exception {
        mint(token("once", 0));
        assertThat(current()).isEqualTo("none");
        mint(token("twice", -5));
        assertThat(current()).isEqualTo("none");
    }

    @Test
    void brokenMinterIsAFailedMint() throws Exception {
        CompletableFuture<AccessToken> asked = ask();
        minter.begun().fail(new IllegalStateException("s3cr3t in a message"));
        assertFails(asked, "mint_failed");
    }

    @Test
    void closingBreaksTheMintOff() throws Exception {
        CompletableFuture<AccessToken> asked = ask();
        minter.begun();
        cache.close();
        assertFails(asked, "interrupted");
        assertFails(ask(), "interrupted");
    }

    @Test
    void nothingPrintsAToken() throws Exception {
        mint(token("s3cr3t-token", 60));
        assertThat(cache.toString()).doesNotContain("s3cr3t");
        assertThat(token("s3cr3t-token", 60).toString()).isEqualTo("***");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"''", "'a\tb'", "'a\nb'", "tökén", "'\u0000'"})
    void whatIsNotPrintableIsNoToken(String text) {
        assertThat(AccessToken.isUsable(text)).isFalse();
        assertThatThrownBy(() -> new AccessToken(text, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("tök");
    }

    @Test
    void tokenHasALimit() {
        assertThat(AccessToken.isUsable("x".repeat(32768))).isTrue();
        assertThat(AccessToken.isUsable("x".repeat(32769))).isFalse();
    }

    @Test
    void stubIsWhatTheContractSays() {
        assertThat(PlaceholderToken.response().build().body())
                .asString()
                .isEqualTo("{\"access_token\":\"sallyport-stub-token\",\"expires_in\":3600,\"token_type\":\"Bearer\"}");
    }
}
