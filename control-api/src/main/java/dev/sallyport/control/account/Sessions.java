package dev.sallyport.control.account;

import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** Sessions of browsers; only a hash of each token is stored. */
@Singleton
public final class Sessions {

    /** How long one lasts. */
    public static final Duration LIFE = Duration.ofHours(1);

    private final Store store;
    private final Clock clock;

    public Sessions(Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /**
     * Begins a session, with a token that was never used before, and returns the token. Refuses with 401 when the
     * password was changed since it was compared: the change has ended all sessions.
     */
    @WithoutCaller("whoever has signed in")
    public String begin(SignedIn user) {
        String token = Tokens.random("");
        int begun = store.write(transaction -> transaction
                        .sql()
                        .createUpdate(
                                "insert into session (token_hash, user_id, csrf, expires_at) select :hash, id, :csrf, :expires from users where id = :user and password_hash = :seen"
                                        + transaction.rowLock())
                        .bind("hash", Tokens.hash(token))
                        .bind("csrf", Tokens.random(""))
                        .bind("expires", transaction.now() + LIFE.toMillis())
                        .bind("user", user.caller().userId())
                        .bind("seen", user.passwordHash())
                        .execute())
                .value();
        if (begun == 0) {
            throw Refusal.unauthorized("the password has changed (expected: the new one)");
        }
        return token;
    }

    /** The session of a token, if it lasts. */
    @WithoutCaller("it finds out who the caller is")
    public Optional<Session> find(String token, String remoteAddress) {
        return store.read(handle -> handle.createQuery(
                        "select u.organization_id, u.id, s.csrf from session s join users u on u.id = s.user_id where s.token_hash = :hash and s.expires_at > :now")
                .bind("hash", Tokens.hash(token))
                .bind("now", clock.millis())
                .map((row, context) -> new Session(
                        new Caller(row.getString(1), row.getString(2), null, remoteAddress), row.getString(3)))
                .findOne());
    }

    /** Ends a session. */
    @WithoutCaller("whoever has the token")
    public void end(String token) {
        store.write(transaction -> transaction
                .sql()
                .createUpdate("delete from session where token_hash = :hash")
                .bind("hash", Tokens.hash(token))
                .execute());
    }

    /** Forgets sessions and links that have expired. */
    @WithoutCaller("housekeeping")
    public void tidy() {
        store.deleteInPortions("session", "token_hash", "expires_at", Duration.ZERO);
        store.deleteInPortions("verification", "token_hash", "expires_at", Duration.ZERO);
    }
}
