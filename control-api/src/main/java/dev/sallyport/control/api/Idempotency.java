package dev.sallyport.control.api;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import io.micronaut.http.HttpRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * {@code Idempotency-Key}: the same key and body within 24 hours give the stored answer. Answers are stored encrypted,
 * because they may hold tokens. Not stored are failures of the server, conflicts, and refusals that are long or that
 * anonymous callers get: the request runs again.
 */
@Singleton
public final class Idempotency {

    private static final Duration KNOWN = Duration.ofHours(24);

    /** A request that has not ended after this time never will: the process ended before. */
    private static final Duration ABANDONED = Duration.ofMinutes(1);

    private static final int LONGEST_KEY = 255;
    private static final int ATTEMPTS = 5;
    private static final int LARGEST_REFUSAL = 64 * 1024;

    private static final Bounds BOUNDS = new Bounds(100_000, 64L << 20);

    private final Store store;
    private final Envelope envelope;
    private final Bounds bounds;

    @Inject
    public Idempotency(Store store, Envelope envelope) {
        this(store, envelope, BOUNDS);
    }

    Idempotency(Store store, Envelope envelope, Bounds bounds) {
        this.store = store;
        this.envelope = envelope;
        this.bounds = bounds;
    }

    /**
     * How much is kept for a caller. Requests that run at once may exceed the bytes by their answers.
     *
     * @param keys how many keys
     * @param bytes how long the answers are in all, sealed; beyond that no other key is taken
     */
    record Bounds(long keys, long bytes) {}

    /** @param hash of the request, sealed: a plain one would let passwords in bodies be guessed */
    private record Row(String hash, byte @Nullable [] sealed) {}

    private record Key(String scope, String key) {}

    private record Stored(
            int status,
            Map<String, String> headers,
            @Nullable String json) {

        @Override
        public String toString() {
            return "Stored[" + status + "]";
        }
    }

    /** Runs a POST, or answers as before. */
    Answer once(HttpRequest<?> request, @Nullable Caller caller, byte @Nullable [] body, Supplier<Answer> action) {
        String header = request.getHeaders().get(Headers.IDEMPOTENCY_KEY);
        if (header == null) {
            return action.get();
        }
        if (header.isEmpty() || header.length() > LONGEST_KEY || header.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw Refusal.badRequest("a malformed Idempotency-Key (expected: 1 to 255 printable ASCII characters)");
        }
        Key key = new Key(scope(request, caller), header);
        String path = request.getPath().replaceAll("/$", ""); // the same route
        String hash = Tokens.hash(path + '\n' + Tokens.hash(body == null ? new byte[0] : body));
        Row before = begin(key, hash);
        return before == null ? run(key, caller != null, action) : replay(key, hash, before);
    }

    /** Keys are of one caller, or of the address of those without a key. */
    private static String scope(HttpRequest<?> request, @Nullable Caller caller) {
        return caller == null ? "@" + Requests.remoteAddress(request) : caller.organizationId() + "/" + caller.userId();
    }

    /** Takes the key, or returns who took it before. */
    private @Nullable Row begin(Key key, String hash) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Begun begun = tryToBegin(key, hash);
            if (begun.taken() || begun.before() != null) {
                return begun.before();
            }
            // The request that had the key has just ended without an answer to keep.
        }
        throw running();
    }

    /** Neither when another request gave the key back at that moment. */
    private record Begun(boolean taken, @Nullable Row before) {}

    private Begun tryToBegin(Key key, String hash) {
        String sealed = Base64.getEncoder()
                .encodeToString(envelope.seal(
                        hash.getBytes(StandardCharsets.US_ASCII), key.scope(), "idempotency.request", key.key()));
        return store.write(transaction -> {
                    long now = transaction.now();
                    transaction
                            .sql()
                            .createUpdate(
                                    "delete from idempotency where scope = :scope and idempotency_key = :key and (created_at <= :known or (sealed_answer is null and created_at <= :abandoned))")
                            .bind("scope", key.scope())
                            .bind("key", key.key())
                            .bind("known", now - KNOWN.toMillis())
                            .bind("abandoned", now - ABANDONED.toMillis())
                            .execute();
                    int taken = transaction
                            .sql()
                            .createUpdate(
                                    "insert into idempotency (scope, idempotency_key, request_hash, created_at) values (:scope, :key, :hash, :now) on conflict do nothing")
                            .bind("scope", key.scope())
                            .bind("key", key.key())
                            .bind("hash", sealed)
                            .bind("now", now)
                            .execute();
                    if (taken == 1) {
                        refuseBeyondBounds(transaction.sql(), key);
                        return new Begun(true, null);
                    }
                    return new Begun(false, find(transaction.sql(), key).orElse(null));
                })
                .value();
    }

    /** With the key that was just taken; the refusal gives it back. */
    private void refuseBeyondBounds(Handle handle, Key key) {
        Bounds kept = handle.createQuery(
                        "select count(*), coalesce(sum(answer_bytes), 0) from idempotency where scope = :scope")
                .bind("scope", key.scope())
                .map((row, context) -> new Bounds(row.getLong(1), row.getLong(2)))
                .one();
        if (kept.keys() > bounds.keys() || kept.bytes() > bounds.bytes()) {
            throw Refusal.quotaExceeded("answers to " + (kept.keys() - 1) + " Idempotency-Keys with " + kept.bytes()
                    + " bytes are kept (expected: no more for 24 hours, or a request without one)");
        }
    }

    private static Refusal running() {
        return Refusal.conflict(
                "idempotency_in_progress",
                "the request with this Idempotency-Key is running (expected: later)",
                Duration.ofSeconds(1));
    }

    private static Optional<Row> find(Handle handle, Key key) {
        return handle.createQuery(
                        "select request_hash, sealed_answer from idempotency where scope = :scope and idempotency_key = :key")
                .bind("scope", key.scope())
                .bind("key", key.key())
                .map((row, context) -> new Row(row.getString(1), row.getBytes(2)))
                .findOne();
    }

    private Answer run(Key key, boolean keepsRefusals, Supplier<Answer> action) {
        Answer answer;
        try {
            answer = action.get();
        } catch (Refusal refusal) {
            Answer refused = ErrorBody.of(refusal);
            if (lasts(refusal.status()) && keepsRefusals && isShort(refused)) {
                keep(key, refused);
            } else {
                forget(key);
            }
            throw refusal;
        } catch (RuntimeException e) {
            forget(key);
            throw e;
        }
        keep(key, answer);
        return answer;
    }

    /** What stands in the way of a 409 may be gone soon, as what makes a 429 and the failures of the server. */
    private static boolean lasts(int status) {
        return status < 500 && status != 409 && status != 429;
    }

    private static boolean isShort(Answer answer) {
        return answer.json() == null || answer.json().length <= LARGEST_REFUSAL;
    }

    private void keep(Key key, Answer answer) {
        String json = answer.json() == null ? null : new String(answer.json(), StandardCharsets.UTF_8);
        byte[] sealed = envelope.seal(
                Json.bytes(new Stored(answer.status(), answer.headers(), json)), key.scope(), "idempotency", key.key());
        store.write(transaction -> transaction
                .sql()
                .createUpdate(
                        "update idempotency set sealed_answer = :sealed, answer_bytes = :bytes where scope = :scope and idempotency_key = :key")
                .bind("sealed", sealed)
                .bind("bytes", sealed.length)
                .bind("scope", key.scope())
                .bind("key", key.key())
                .execute());
    }

    private void forget(Key key) {
        store.write(transaction -> transaction
                .sql()
                .createUpdate("delete from idempotency where scope = :scope and idempotency_key = :key")
                .bind("scope", key.scope())
                .bind("key", key.key())
                .execute());
    }

    private Answer replay(Key key, String hash, Row row) {
        byte[] before =
                envelope.open(Base64.getDecoder().decode(row.hash()), key.scope(), "idempotency.request", key.key());
        if (!Tokens.equal(new String(before, StandardCharsets.US_ASCII), hash)) {
            throw Refusal.of(
                    422,
                    "idempotency_key_reused",
                    "the Idempotency-Key was used for another request (expected: a new key, or the same request)");
        }
        if (row.sealed() == null) {
            throw running();
        }
        Stored stored = Json.read(
                new String(envelope.open(row.sealed(), key.scope(), "idempotency", key.key()), StandardCharsets.UTF_8),
                Stored.class);
        return new Answer(
                        stored.status(),
                        stored.json() == null ? null : stored.json().getBytes(StandardCharsets.UTF_8),
                        stored.headers())
                .with(Headers.IDEMPOTENT_REPLAYED, "true");
    }

    /** Forgets old answers. */
    @WithoutCaller("housekeeping")
    public void tidy() {
        store.deleteInPortions("idempotency", "scope, idempotency_key", "created_at", KNOWN);
    }
}
