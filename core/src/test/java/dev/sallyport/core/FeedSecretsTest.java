package dev.sallyport.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.redact.RedactionSettings;
import dev.sallyport.core.secret.DeliveredRef;
import dev.sallyport.core.secret.DeliveredSecrets;
import dev.sallyport.core.secret.DeliveredSourceFactory;
import dev.sallyport.core.secret.EngineSourceContext;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretValue;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An update whose values could not be told to all whom they concern is repeated, and then everything counts. */
class FeedSecretsTest {

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final DeliveredSecrets delivered = new DeliveredSecrets();
    private final SecretStore store = new SecretStore(
            Map.of(DeliveredSourceFactory.TYPE, delivered),
            new EngineSourceContext(Map.of(), Clock.systemUTC(), call -> {
                throw new AssertionError("no calls expected");
            }),
            timers);
    private final FeedSecrets secrets = new FeedSecrets(
            delivered,
            store,
            new RedactionRegistry(
                    new RedactionSettings(RedactResponse.SWAPPED, Duration.ofHours(1)), System::nanoTime));
    private final SecretScope scope = store.open();
    private final AtomicInteger faults = new AtomicInteger();
    private Secret one;
    private Secret same;

    /** Two that do not share what is read, for one secret. */
    @BeforeEach
    void resolve() throws Exception {
        take(version("1"));
        one = scope.resolve(new SecretRef(DeliveredSourceFactory.TYPE, new DeliveredRef("a"), "", true, ""));
        same = scope.resolve(new SecretRef(DeliveredSourceFactory.TYPE, new DeliveredRef("a"), "", false, ""));
        scope.onChange(secret -> {
            if (faults.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new OutOfMemoryError("made to fail");
            }
        });
    }

    @AfterEach
    void close() {
        scope.close();
        store.close();
        timers.shutdownNow();
    }

    private static PipelineUpdate version(String version) {
        return PipelineUpdate.builder()
                .secret("a", version, SecretValue.of("value-" + version))
                .build();
    }

    private static PipelineUpdate deletion() {
        return PipelineUpdate.builder().removeSecret("a").build();
    }

    private boolean take(PipelineUpdate update) {
        secrets.takeNew(update);
        return secrets.takeRest(update);
    }

    private void fail(PipelineUpdate update) {
        faults.set(1);
        secrets.takeNew(update);
        assertThatThrownBy(() -> secrets.takeRest(update)).isInstanceOf(OutOfMemoryError.class);
        assertThat(faults).hasValue(0);
    }

    private List<String> values() {
        return List.of(one.value().text(), same.value().text());
    }

    @Test
    void aDeletionThatFailedIsToldAgain() {
        fail(deletion());
        assertThat(store.deletions()).isZero();

        assertThat(take(deletion())).isTrue();

        assertThat(store.deletions()).isOne();
        assertThat(scope.deletedSince(0, "a")).isTrue();
        assertThat(one.available()).isFalse();
        assertThat(same.available()).isFalse();
        assertThat(take(deletion())).as("it is done").isFalse();
    }

    @Test
    void itIsToldWithTheNextUpdateWhateverThatContains() {
        fail(deletion());

        assertThat(secrets.takeDeletions(PipelineUpdate.builder().build())).isTrue();

        assertThat(scope.deletedSince(0, "a")).isTrue();
        assertThat(one.available()).isFalse();
        assertThat(same.available()).isFalse();
    }

    @Test
    void aVersionThatFailedTakesEffect() {
        fail(version("2"));

        take(version("2"));

        assertThat(values()).containsOnly("value-2");
        assertThat(store.deletions()).isZero();
    }

    @Test
    void aSecretThatComesBackAfterAFailedDeletionIsAnotherOne() {
        fail(deletion());

        assertThat(take(version("3"))).isTrue();

        assertThat(values()).containsOnly("value-3");
        assertThat(scope.deletedSince(0, "a"))
                .as("what carries the value of before")
                .isTrue();
        assertThat(scope.deletedSince(1, "a")).isFalse();
    }

    @Test
    void aNewSecretWhosePoliciesAreNotInForceGoesAgain() {
        PipelineUpdate update = PipelineUpdate.builder()
                .secret("b", "1", SecretValue.of("value-of-b"))
                .build();
        secrets.takeNew(update);
        assertThat(delivered.has("b")).isTrue();

        take(PipelineUpdate.builder().build());

        assertThat(delivered.has("b")).isFalse();
    }

    @Test
    void aNewSecretWhosePoliciesAreInForceStaysThoughItCouldNotBeTold() {
        take(deletion());
        fail(version("4"));

        take(PipelineUpdate.builder().build());

        assertThat(values()).containsOnly("value-4");
    }
}
