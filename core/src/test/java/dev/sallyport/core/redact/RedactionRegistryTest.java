package dev.sallyport.core.redact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.testsupport.Patience;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is remembered of the secrets of workloads that come and go. */
class RedactionRegistryTest {

    private static final Duration AFTER_REMOVAL = Duration.ofHours(1);
    private static final Destination ORIGIN = Destination.named("api.example.com", 443, true);
    private static final Credential VALUE =
            Credential.of("KEY", "first-value-of-the-key").from("secrets[0]");
    private static final Credential MINTED =
            Credential.of("access_token", "a-token-that-was-minted").from("tokens[0]");

    private long now;
    private final RedactionRegistry registry =
            new RedactionRegistry(new RedactionSettings(RedactResponse.SWAPPED, AFTER_REMOVAL), () -> now);

    private void inForce(String workload, String... secrets) {
        Set<String> stages = secrets.length == 0 ? Set.of() : Set.of("secrets");
        registry.retain(workload, workload::equals, stages, Set.of(secrets), List.of());
    }

    private void later() {
        now += AFTER_REMOVAL.toNanos();
        registry.sweep();
    }

    private boolean known(String workload) {
        return registry.sent(workload, ORIGIN, null).contains(VALUE);
    }

    @Test
    void nothingStaysOfAWorkloadThatIsGone() {
        inForce("job", "KEY");
        registry.send("job", ORIGIN, null, "secrets", VALUE);
        inForce("job");
        registry.sweep();
        assertThat(known("job")).isTrue();

        later();

        assertThat(known("job")).isFalse();
        assertThat(registry.remembered()).isZero();
    }

    /** A token that was minted has a name of its own, which no policy declares. */
    @Test
    void norDoesAMintedTokenOfIt() {
        minting("job", "oauth_token");
        registry.send("job", ORIGIN, null, "oauth_token", MINTED);
        minting("job");
        registry.sweep();
        assertThat(registry.sent("job", ORIGIN, null).contains(MINTED)).isTrue();

        later();

        assertThat(registry.sent("job", ORIGIN, null).isEmpty()).isTrue();
        assertThat(registry.remembered()).isZero();
    }

    @Test
    void aMintedTokenOfALiveWorkloadIsKnown() {
        minting("job", "oauth_token");
        registry.send("job", ORIGIN, null, "oauth_token", MINTED);

        later();
        later();

        assertThat(registry.sent("job", ORIGIN, null).contains(MINTED)).isTrue();
    }

    @Test
    void whatAnExchangeSendsThatOutlivesItsWorkloadIsForgottenToo() {
        inForce("", "OTHER");
        inForce("job", "KEY");
        registry.send("job", ORIGIN, null, "secrets", VALUE);
        inForce("job");
        registry.send("job", ORIGIN, null, "secrets", VALUE);
        registry.sweep();
        later();
        assertThat(known("job")).isFalse();

        registry.recurs("job", "secrets", VALUE);
        registry.send("job", ORIGIN, null, "secrets", VALUE);
        registry.sweep();
        assertThat(known("job")).isTrue();
        later();

        assertThat(known("job")).isFalse();
        assertThat(registry.remembered()).as("the policy of the others").isEqualTo(1);
    }

    @Test
    void aWorkloadThatSendsBeforeItsPolicyIsKnownKeepsItsValues() {
        inForce("", "OTHER");
        registry.send("job", ORIGIN, null, "secrets", VALUE);
        registry.sweep();
        inForce("job", "KEY");

        later();

        assertThat(known("job")).isTrue();
    }

    @Test
    void valuesOfUsersGoByThePolicyOfTheOthers() {
        registry.retain("", workload -> workload.startsWith("user:"), Set.of("secrets"), Set.of("KEY"), List.of());
        registry.send("user:ann", ORIGIN, null, "secrets", VALUE);

        later();

        assertThat(known("user:ann")).isTrue();
    }

    private void minting(String workload, String... stages) {
        registry.retain(workload, workload::equals, Set.of(stages), Set.of(), List.of());
    }

    @Test
    void aDeletedValueExpiresThoughALiveWorkloadNamesIt() {
        inForce("job", "KEY");
        registry.send("job", ORIGIN, null, "secrets", VALUE);
        registry.deleted(Set.of("KEY"));
        registry.send("job", ORIGIN, null, "secrets", VALUE);
        inForce("job", "KEY");

        later();

        assertThat(known("job")).isFalse();
    }

    @Test
    void aDeletedValueIsNotKeptCompiledEither() throws Exception {
        inForce("job", "KEY");
        WeakReference<Credential> watched = sentAndCompiled();
        registry.deleted(Set.of("KEY"));

        later();

        for (int i = 0; i < 100 && watched.get() != null; i++) {
            System.gc();
            Thread.sleep(20);
        }
        assertThat(watched.get()).isNull();
    }

    private WeakReference<Credential> sentAndCompiled() throws Exception {
        Credential value = Credential.of("KEY", "a-value-that-is-deleted").from("secrets[0]");
        registry.send("job", ORIGIN, null, "secrets", value);
        WantedCredentials wanted = registry.wanted(registry.sent("job", ORIGIN, null), CredentialSet.EMPTY);
        CountDownLatch done = new CountDownLatch(1);
        wanted.whenDone(done::countDown);
        assertThat(done.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        return new WeakReference<>(value);
    }

    @Test
    void aValueThatIsDeliveredAgainIsInUse() {
        inForce("job", "KEY");
        registry.deleted(Set.of("KEY"));
        registry.delivered(Set.of("KEY"));
        registry.send("job", ORIGIN, null, "secrets", VALUE);

        later();

        assertThat(known("job")).isTrue();
    }
}
