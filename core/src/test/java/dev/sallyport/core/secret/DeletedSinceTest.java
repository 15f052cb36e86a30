package dev.sallyport.core.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.testsupport.Patience;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a scope knows of secrets that have been deleted: event loops ask it for each credential that they send. */
@Timeout(60)
class DeletedSinceTest {

    private final DeliveredSecrets delivered = new DeliveredSecrets();
    private final SecretStore store = new SecretStore(
            Map.of(DeliveredSourceFactory.TYPE, delivered),
            new EngineSourceContext(Map.of(), Clock.systemUTC(), call -> {
                throw new AssertionError("no calls expected");
            }),
            new ManualTimers(),
            Runnable::run,
            () -> 0.0,
            System::nanoTime);
    private final SecretScope scope = store.open();

    private void resolve(String id) throws ConfigException {
        scope.resolve(new SecretRef(DeliveredSourceFactory.TYPE, new DeliveredRef(id), "", true, ""));
    }

    private void deliver(String id) {
        delivered.put(id, "1", SecretValue.of("value-of-" + id));
        store.delivered(Set.of(id));
    }

    private void delete(String id) {
        DeliveredLife life = Objects.requireNonNull(delivered.remove(id, ""), id);
        store.delivered(Set.of(id));
        store.deleted(List.of(life));
    }

    @Test
    void eachSecretIsKnownByItsNameAndAnyOtherNameStandsForAll() throws Exception {
        for (String id : List.of("a", "b")) {
            deliver(id);
            resolve(id);
        }
        assertThat(scope.deletedSince(0, "a")).isFalse();

        delete("a");

        assertThat(scope.deletedSince(0, "a")).isTrue();
        assertThat(scope.deletedSince(0, "b")).isFalse();
        assertThat(scope.deletedSince(0, "a token made of them")).isTrue();
        assertThat(scope.deletedSince(1, "a")).as("it began afterwards").isFalse();
        assertThat(scope.deletedSince(1, "a token made of them")).isFalse();

        deliver("a");
        delete("b");
        assertThat(scope.deletedSince(0, "a")).as("although it is back").isTrue();
        assertThat(scope.deletedSince(1, "a")).isFalse();
        assertThat(scope.deletedSince(1, "b")).isTrue();
        delete("a");
        assertThat(scope.deletedSince(2, "a")).isTrue();
        assertThat(scope.deletedSince(3, "a")).isFalse();
    }

    @Test
    void deletionsOfOtherScopesDoNotConcernIt() throws Exception {
        deliver("a");
        deliver("other");
        resolve("a");

        delete("other");

        assertThat(scope.deletedSince(0, "a")).isFalse();
        assertThat(scope.deletedSince(0, "a token made of it")).isFalse();
    }

    @Test
    void aSecretThatIsResolvedLaterIsKnownToo() throws Exception {
        deliver("a");
        deliver("b");
        resolve("a");
        delete("a");
        assertThat(scope.deletedSince(0, "b")).as("a name that is not known").isTrue();

        resolve("b");

        assertThat(scope.deletedSince(0, "b")).isFalse();
    }

    @Test
    void itIsKnownOfSecretsThatAreDeletedAfterTheScopeWasClosed() throws Exception {
        deliver("a");
        resolve("a");
        scope.close();
        scope.close();

        delete("a");

        assertThat(scope.deletedSince(0, "a")).isTrue();
    }

    /** Whoever deletes thousands of secrets holds it meanwhile, and event loops of all accounts would wait. */
    @Test
    void whoeverAsksWaitsForNobodyWhoHasTheStore() throws Exception {
        deliver("a");
        resolve("a");
        delete("a");
        CompletableFuture<Boolean> answer = new CompletableFuture<>();

        synchronized (store) {
            Thread.ofVirtual().start(() -> answer.complete(scope.deletedSince(0, "a")));
            assertThat(answer.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Something may have failed between the two, so that the deletion is told late. */
    @Test
    void aDeletionThatIsToldWhenTheSecretIsBackIsADeletionAllTheSame() throws Exception {
        deliver("a");
        resolve("a");
        DeliveredLife first = Objects.requireNonNull(delivered.remove("a", ""));
        deliver("a");
        DeliveredLife second = Objects.requireNonNull(delivered.remove("a", ""));
        deliver("a");

        store.deleted(List.of(second));
        assertThat(scope.deletedSince(0, "a")).isTrue();
        assertThat(scope.deletedSince(1, "a")).isFalse();
        store.deleted(List.of(first));
        assertThat(scope.deletedSince(1, "a")).isTrue();
    }
}
