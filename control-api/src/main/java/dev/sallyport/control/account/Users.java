package dev.sallyport.control.account;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.crypto.Passwords;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Users. Until there are invitations, each has an organization of its own. */
@Singleton
public final class Users {

    private static final Duration LINK_LIFE = Duration.ofHours(24);
    private static final String COLUMNS =
            "select id, organization_id, first_name, last_name, email, email_verified, created_at, password_hash from users";

    private final Store store;
    private final Ids ids;
    private final Passwords passwords;
    private final ApiKeys keys;
    private final AdminAudit audit;
    private final Mail mail;
    private final AccountSettings settings;
    private final SignInGuard guard;

    public Users(Parts parts, Passwords passwords, ApiKeys keys, Outside outside, SignInGuard guard) {
        this.store = parts.store();
        this.ids = parts.ids();
        this.audit = parts.audit();
        this.passwords = passwords;
        this.keys = keys;
        this.mail = outside.mail();
        this.settings = outside.settings();
        this.guard = guard;
    }

    /** Where users are kept. */
    @Singleton
    public record Parts(Store store, Ids ids, AdminAudit audit) {}

    /** How users are reached, and how they come. */
    @Singleton
    public record Outside(Mail mail, AccountSettings settings) {}

    /** A user with what is not shown. */
    private record Row(User user, String organization, String passwordHash) {

        @Override
        public String toString() {
            return "Row[" + organization + "]";
        }
    }

    /** Refuses with 403 where nobody may sign up. */
    @WithoutCaller("there is no account yet")
    public void refuseIfClosed() {
        if (!settings.open()) {
            throw Refusal.of(403, "sign_up_closed", "sign-up is closed (expected: an account that the operator makes)");
        }
    }

    /**
     * Makes an account, also where sign-up is closed.
     *
     * @param remoteAddress empty for the operator
     */
    @WithoutCaller("the operator makes it, or whoever may sign up")
    public Written<SignUp> add(SignUpDraft draft, String remoteAddress) {
        String key = key(draft.email());
        if (store.read(handle -> find(handle, key)).isPresent()) {
            throw taken();
        }
        String hash = passwords.hash(draft.password());
        String link = Tokens.random("");
        Written<SignUp> written =
                store.write(transaction -> insert(transaction, draft, hash, new Origin(link, remoteAddress)));
        mail.verification(draft.email(), settings.baseUrl().get() + "/verify?token=" + link);
        return written;
    }

    /** The token of the link, and where the request came from; the address is empty for the operator. */
    private record Origin(String link, String remoteAddress) {

        @Override
        public String toString() {
            return "Origin[" + remoteAddress + "]";
        }
    }

    private SignUp insert(Transaction transaction, SignUpDraft draft, String hash, Origin origin) {
        if (find(transaction.sql(), key(draft.email())).isPresent()) {
            throw taken();
        }
        String organization = ids.next("org_", transaction.now());
        User user = new User(
                ids.next("usr_", transaction.now()),
                draft.firstName(),
                draft.lastName(),
                draft.email(),
                false,
                Instant.ofEpochMilli(transaction.now()));
        Handle sql = transaction.sql();
        sql.createUpdate("insert into organization (id, name, created_at) values (:id, :name, :now)")
                .bind("id", organization)
                .bind("name", draft.firstName() + " " + draft.lastName())
                .bind("now", transaction.now())
                .execute();
        noteFirst(sql);
        sql.createUpdate(
                        "insert into users (id, organization_id, first_name, last_name, email, email_key, email_verified, password_hash, created_at) values (:id, :organization, :first, :last, :email, :key, :verified, :hash, :now)")
                .bind("id", user.id())
                .bind("organization", organization)
                .bind("first", user.firstName())
                .bind("last", user.lastName())
                .bind("email", user.email())
                .bind("key", key(user.email()))
                .bind("verified", false)
                .bind("hash", hash)
                .bind("now", transaction.now())
                .execute();
        sql.createUpdate("insert into verification (token_hash, user_id, expires_at) values (:hash, :user, :expires)")
                .bind("hash", Tokens.hash(origin.link()))
                .bind("user", user.id())
                .bind("expires", transaction.now() + LINK_LIFE.toMillis())
                .execute();
        Caller caller = origin.remoteAddress().isEmpty()
                ? Caller.operator(organization)
                : new Caller(organization, user.id(), null, origin.remoteAddress());
        transaction.changed(organization, "user", user.id());
        audit.record(transaction, caller, Administered.created("user", user.id(), user));
        NewApiKey made = keys.create(transaction, caller, user.id(), new ApiKeyDraft("default", null));
        return new SignUp(new SignUp.Key(made.id(), made.name(), made.token(), made.createdAt()), user);
    }

    /** Of several at once one is the first: the others wait here. An older replica may have made accounts without this. */
    private static void noteFirst(Handle sql) {
        sql.execute(
                "insert into first_account (id, organization_id) select 1, id from (select id from organization order by created_at, id limit 1) oldest where true on conflict do nothing");
    }

    private static Refusal taken() {
        return Refusal.conflict("email_taken", "an account with this e-mail address exists");
    }

    /** What a link of a mail is worth. */
    public enum Link {
        /** Nothing: it is unknown, or too old. */
        UNKNOWN,
        /** It verifies an address. */
        FRESH,
        /** It has verified one. */
        USED
    }

    /** What a link is worth, without using it. */
    @WithoutCaller("whoever has the link")
    public Link look(String link) {
        return store.write(transaction -> worth(owner(transaction, link))).value();
    }

    /** Marks the address of a link's user as verified; returns what the link was worth before. */
    @WithoutCaller("whoever has the link")
    public Link verify(String link, String remoteAddress) {
        return store.write(transaction -> {
                    Optional<Row> owner = owner(transaction, link);
                    Link worth = worth(owner);
                    if (worth == Link.FRESH) {
                        verified(transaction, owner.orElseThrow(), remoteAddress);
                    }
                    return worth;
                })
                .value();
    }

    private static Link worth(Optional<Row> owner) {
        return owner.map(row -> row.user().emailVerified() ? Link.USED : Link.FRESH)
                .orElse(Link.UNKNOWN);
    }

    /** It stays until it is too old: whoever opens it twice learns that it did its work. */
    private static Optional<Row> owner(Transaction transaction, String link) {
        return transaction
                .sql()
                .createQuery("select user_id from verification where token_hash = :hash and expires_at > :now"
                        + transaction.rowLock())
                .bind("hash", Tokens.hash(link))
                .bind("now", transaction.now())
                .mapTo(String.class)
                .findOne()
                .flatMap(user -> byId(transaction.sql(), user));
    }

    private void verified(Transaction transaction, Row row, String remoteAddress) {
        Handle sql = transaction.sql();
        String userId = row.user().id();
        sql.createUpdate("update users set email_verified = :verified where id = :id")
                .bind("verified", true)
                .bind("id", userId)
                .execute();
        Row after = byId(sql, userId).orElseThrow();
        transaction.changed(row.organization(), "user", userId);
        audit.record(
                transaction,
                new Caller(row.organization(), userId, null, remoteAddress),
                Administered.updated("user", userId, row.user(), after.user()));
    }

    /**
     * The user with this address and password; refuses with 401, and with 429 after too many failures.
     *
     * @param browser see {@link KnownBrowsers#identifier}; empty for one that is not known
     */
    @WithoutCaller("it finds out who the caller is")
    public SignedIn signIn(String email, String password, String remoteAddress, String browser) {
        if (!isPossible(email, SignUpDraft.LONGEST_EMAIL) || !isPossible(password, SignUpDraft.LONGEST_PASSWORD)) {
            guard.begin(remoteAddress);
            throw wrong();
        }
        String key = key(email);
        SignInGuard.Attempt attempt = new SignInGuard.Attempt(key, remoteAddress, browser);
        guard.begin(attempt);
        Optional<Row> row = matching(attempt, password);
        if (row.isEmpty()) {
            throw wrong();
        }
        guard.succeeded(attempt);
        return new SignedIn(
                new Caller(row.get().organization(), row.get().user().id(), null, remoteAddress),
                row.get().passwordHash());
    }

    /** The hash of the password of the user with this address; none without such a user. */
    Optional<String> passwordHash(String email) {
        return isPossible(email, SignUpDraft.LONGEST_EMAIL)
                ? store.read(handle -> find(handle, key(email))).map(Row::passwordHash)
                : Optional.empty();
    }

    /** Whether any account could have it; else it is neither looked for nor hashed. */
    private static boolean isPossible(String text, int longest) {
        return text.codePointCount(0, text.length()) <= longest && text.indexOf('\0') < 0;
    }

    private Optional<Row> matching(SignInGuard.Attempt attempt, String password) {
        try {
            Optional<Row> row = store.read(handle -> find(handle, attempt.account()));
            if (row.isEmpty()) {
                passwords.matchNobody(password);
            }
            return row.filter(found -> passwords.matches(password, found.passwordHash()));
        } catch (RuntimeException e) {
            guard.takeBack(attempt);
            throw e;
        }
    }

    private static Refusal wrong() {
        return Refusal.unauthorized("no account with this e-mail address and password");
    }

    /** Sets a password and ends the user's sessions; keys stay valid. Refuses with 404 without such a user. */
    @WithoutCaller("the operator does it")
    public void resetPassword(String email, String password) {
        String key = key(email);
        String hash = passwords.hash(password);
        store.write(transaction -> {
            Row row = find(transaction.sql(), key).orElseThrow(Users::unknown);
            String id = row.user().id();
            transaction
                    .sql()
                    .createUpdate("update users set password_hash = :hash where id = :id")
                    .bind("hash", hash)
                    .bind("id", id)
                    .execute();
            transaction
                    .sql()
                    .createUpdate("delete from session where user_id = :id")
                    .bind("id", id)
                    .execute();
            transaction.changed(row.organization(), "user", id);
            audit.record(
                    transaction,
                    Caller.operator(row.organization()),
                    new Administered("reset_password", "user", id, null, null));
            return id;
        });
        guard.forget(key);
    }

    /** Makes a key for the user of this address; refuses with 404 when there is none. */
    @WithoutCaller("the operator does it")
    public Written<NewApiKey> addKey(String email, ApiKeyDraft draft) {
        Row row = store.read(handle -> find(handle, key(email))).orElseThrow(Users::unknown);
        return keys.create(Caller.operator(row.organization()), row.user().id(), draft);
    }

    private static Refusal unknown() {
        return Refusal.notFound("user_not_found", "no account with this e-mail address");
    }

    /** The caller's user. */
    public User user(Caller caller) {
        return store.read(handle -> byId(handle, caller.userId())).orElseThrow().user();
    }

    /** The caller's organization. */
    public Organization organization(Caller caller) {
        return store.read(handle -> handle.createQuery("select id, name from organization where id = :id")
                .bind("id", caller.organizationId())
                .map((row, context) -> new Organization(row.getString(1), row.getString(2)))
                .one());
    }

    /** Addresses are compared in lower case. */
    static String key(String email) {
        return email.toLowerCase(Locale.ROOT);
    }

    private static Optional<Row> find(Handle handle, String key) {
        return handle.createQuery(COLUMNS + " where email_key = :key")
                .bind("key", key)
                .map((row, context) -> row(row))
                .findOne();
    }

    private static Optional<Row> byId(Handle handle, String id) {
        return handle.createQuery(COLUMNS + " where id = :id")
                .bind("id", id)
                .map((row, context) -> row(row))
                .findOne();
    }

    private static Row row(ResultSet row) throws SQLException {
        User user = new User(
                row.getString("id"),
                row.getString("first_name"),
                row.getString("last_name"),
                row.getString("email"),
                row.getBoolean("email_verified"),
                Instant.ofEpochMilli(row.getLong("created_at")));
        return new Row(user, row.getString("organization_id"), row.getString("password_hash"));
    }
}
