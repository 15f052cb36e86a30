package dev.sallyport.control.account;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Sign-in of devices without a browser: the device shows a code, a user approves it elsewhere, and the device gets a key
 * (as in RFC 8628, with one code). The key is kept encrypted while the code lives, and not a moment longer.
 */
@Singleton
public final class DeviceCodes {

    /** How long a code lives. */
    public static final Duration LIFE = Duration.ofMinutes(10);

    /** How long a code is known after it was made. */
    private static final Duration KNOWN = Duration.ofHours(24);

    private static final String PENDING = "pending";
    private static final String AUTHORIZED = "authorized";
    private static final String REFUSED = "refused";

    private final Store store;
    private final Clock clock;
    private final ApiKeys keys;
    private final Envelope envelope;
    private final AccountSettings settings;

    public DeviceCodes(Store store, Clock clock, ApiKeys keys, Envelope envelope, AccountSettings settings) {
        this.store = store;
        this.clock = clock;
        this.keys = keys;
        this.envelope = envelope;
        this.settings = settings;
    }

    private record Row(String hash, String status, long expiresAt, byte[] sealedToken) {

        @Override
        public String toString() {
            return "Row[" + status + "]";
        }
    }

    /** Makes a code. */
    @WithoutCaller("a device has no key yet")
    public DeviceCode request() {
        String code = Tokens.code();
        return store.write(transaction -> {
                    long expiresAt = transaction.now() + LIFE.toMillis();
                    transaction
                            .sql()
                            .createUpdate(
                                    "insert into device_code (code_hash, status, created_at, expires_at) values (:hash, :status, :now, :expires)")
                            .bind("hash", Tokens.hash(code))
                            .bind("status", PENDING)
                            .bind("now", transaction.now())
                            .bind("expires", expiresAt)
                            .execute();
                    return new DeviceCode(
                            code, settings.baseUrl().get() + "/device?code=" + code, Instant.ofEpochMilli(expiresAt));
                })
                .value();
    }

    /** What became of a code; 404 when it is unknown. */
    @WithoutCaller("whoever has the code")
    public DevicePoll poll(String code) {
        String hash = Tokens.hash(code);
        long now = clock.millis();
        Row row = store.read(handle -> find(handle, hash, now)).orElseThrow(DeviceCodes::unknown);
        if (row.expiresAt() <= now || row.status().equals(REFUSED)) {
            return new DevicePoll(DevicePoll.Status.EXPIRED, null);
        }
        if (row.status().equals(PENDING)) {
            return new DevicePoll(DevicePoll.Status.PENDING, null);
        }
        String token = new String(envelope.open(row.sealedToken(), "", "device_code", hash), StandardCharsets.UTF_8);
        return keys.isValid(token)
                ? new DevicePoll(DevicePoll.Status.AUTHORIZED, token)
                : new DevicePoll(DevicePoll.Status.EXPIRED, null);
    }

    /** Whether a code waits for somebody to approve it. */
    @WithoutCaller("whoever has the code")
    public boolean isPending(String code) {
        long now = clock.millis();
        return store.read(handle -> find(handle, Tokens.hash(code), now))
                .filter(row -> row.status().equals(PENDING) && row.expiresAt() > now)
                .isPresent();
    }

    /**
     * Gives the device a key of the caller. 404 when the code is unknown, 409 when it does not wait for that, or the
     * organization has too many keys.
     */
    public Written<DevicePoll> approve(Caller caller, String code) {
        String hash = Tokens.hash(code);
        return store.write(transaction -> {
            refuseUnlessPending(transaction, hash);
            NewApiKey key = keys.create(transaction, caller, caller.userId(), new ApiKeyDraft("device", null));
            byte[] sealed = envelope.seal(key.token().getBytes(StandardCharsets.UTF_8), "", "device_code", hash);
            decide(transaction, caller, hash, new Decision(AUTHORIZED, sealed));
            return new DevicePoll(DevicePoll.Status.AUTHORIZED, null);
        });
    }

    /** Gives the device nothing; errors as for {@link #approve}. */
    public void refuse(Caller caller, String code) {
        String hash = Tokens.hash(code);
        store.write(transaction -> {
            refuseUnlessPending(transaction, hash);
            decide(transaction, caller, hash, new Decision(REFUSED, null));
            return hash;
        });
    }

    private record Decision(String status, byte @Nullable [] sealedToken) {

        @Override
        public String toString() {
            return "Decision[" + status + "]";
        }
    }

    /** Changes a code that still waits; of two decisions at once, the second is refused. */
    private static void decide(Transaction transaction, Caller caller, String hash, Decision decision) {
        int changed = transaction
                .sql()
                .createUpdate(
                        "update device_code set status = :status, user_id = :user, sealed_token = :token where code_hash = :hash and status = :pending and expires_at > :now")
                .bind("status", decision.status())
                .bind("user", caller.userId())
                .bind("token", decision.sealedToken())
                .bind("hash", hash)
                .bind("pending", PENDING)
                .bind("now", transaction.now())
                .execute();
        if (changed == 0) {
            throw used();
        }
    }

    private static void refuseUnlessPending(Transaction transaction, String hash) {
        Row row = find(transaction.sql(), hash, transaction.now()).orElseThrow(DeviceCodes::unknown);
        if (row.expiresAt() <= transaction.now()) {
            throw Refusal.conflict("device_code_expired", "the code has expired (expected: a new one)");
        }
        if (!row.status().equals(PENDING)) {
            throw used();
        }
    }

    private static Refusal used() {
        return Refusal.conflict("device_code_used", "the code was approved or refused before (expected: a new one)");
    }

    private static Refusal unknown() {
        return Refusal.notFound("device_code_not_found", "no such device code");
    }

    /** One that is too old is unknown, whether it was removed already or not. */
    private static Optional<Row> find(Handle handle, String hash, long now) {
        return handle.createQuery(
                        "select code_hash, status, expires_at, sealed_token from device_code where code_hash = :hash and created_at > :known")
                .bind("hash", hash)
                .bind("known", now - KNOWN.toMillis())
                .map((row, context) -> {
                    byte[] token = row.getBytes(4);
                    return new Row(
                            row.getString(1), row.getString(2), row.getLong(3), token == null ? new byte[0] : token);
                })
                .findOne();
    }

    /** Forgets the keys of codes that have expired, and codes that are too old. */
    @WithoutCaller("housekeeping")
    public void tidy() {
        store.write(transaction -> transaction
                .sql()
                .createUpdate(
                        "update device_code set sealed_token = null where expires_at <= :now and sealed_token is not null")
                .bind("now", transaction.now())
                .execute());
        store.deleteInPortions("device_code", "code_hash", "created_at", KNOWN);
    }
}
