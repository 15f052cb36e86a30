package dev.sallyport.control.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import io.micronaut.http.HttpRequest;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many keys a caller may use. */
class IdempotencyTest {

    private static final Caller ADA = new Caller("org_1", "usr_1", null, "");
    private static final Caller BOB = new Caller("org_1", "usr_2", null, "");

    @TempDir
    Path folder;

    private Store store;
    private Idempotency idempotency;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        idempotency = new Idempotency(store, Envelope.of(Envelope.newKey()), new Idempotency.Bounds(3, 1 << 20));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private int post(Caller caller, String key) {
        HttpRequest<?> request = HttpRequest.POST("/v1/x", "").header(Headers.IDEMPOTENCY_KEY, key);
        return idempotency.once(request, caller, null, Answer::none).status();
    }

    @Test
    void whileARequestRunsTheOtherLearnsWhenToComeAgain() {
        HttpRequest<?> request = HttpRequest.POST("/v1/x", "").header(Headers.IDEMPOTENCY_KEY, "a");

        assertThatThrownBy(() ->
                        idempotency.once(request, ADA, null, () -> idempotency.once(request, ADA, null, Answer::none)))
                .isInstanceOfSatisfying(Refusal.class, refusal -> {
                    assertThat(refusal.code()).isEqualTo("idempotency_in_progress");
                    assertThat(refusal.retryAfter()).isEqualTo("1");
                });
    }

    @Test
    void aCallerHasAsManyKeysAsTheBoundAllowsAndThoseAreAnsweredStill() {
        post(ADA, "a");
        post(ADA, "b");
        post(ADA, "c");

        assertThatThrownBy(() -> post(ADA, "d"))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("quota_exceeded"));
        assertThat(post(ADA, "a")).isEqualTo(204);
        assertThat(post(BOB, "d")).isEqualTo(204);
        long rows = store.read(handle -> handle.createQuery("select count(*) from idempotency")
                .mapTo(Long.class)
                .one());
        assertThat(rows).isEqualTo(4);
    }
}
