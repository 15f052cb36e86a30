package dev.sallyport.control.account;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.audit.LiveKeys;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.ProxyPassword;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Statements;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Keys of the API. Only a hash of each token is stored. */
@Singleton
public final class ApiKeys implements LiveKeys {

    /** With which each token begins. */
    public static final String PREFIX = "sp_live_";

    /** Valid keys of an organization. */
    private static final int MOST = 100;

    private static final int TOKEN_LENGTH = PREFIX.length() + 43;
    private static final int SHOWN = PREFIX.length() + 4;

    private static final String PASSWORDS =
            "select id, organization_id, token_hash, expires_at from api_key where revoked_at is null and (expires_at is null or expires_at > :now)";

    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;
    private final Clock clock;

    public ApiKeys(Store store, Ids ids, AdminAudit audit, Clock clock) {
        this.store = store;
        this.ids = ids;
        this.audit = audit;
        this.clock = clock;
    }

    /** The owner of a key. */
    private record Owner(String id, String organization, String user, String hash) {}

    /** Whoever has this token; refuses with 401 unless the key is valid. */
    @WithoutCaller("it finds out who the caller is")
    public Caller authenticate(String token, String remoteAddress) {
        String hash = Tokens.hash(token);
        return (isWellFormed(token) ? find(hash) : Optional.<Owner>empty())
                .filter(found -> Tokens.equal(found.hash(), hash))
                .map(found -> new Caller(found.organization(), found.user(), found.id(), remoteAddress))
                .orElseThrow(() -> Refusal.unauthorized("not a valid API key (expected: Authorization: Bearer KEY)"));
    }

    /** Whether a token is that of a key which is valid now. */
    @WithoutCaller("whoever has the token")
    boolean isValid(String token) {
        return find(Tokens.hash(token)).isPresent();
    }

    @Override
    @WithoutCaller("it tells nothing about keys but whether answers to them may go on")
    public Set<String> live(Set<String> ids) {
        if (ids.isEmpty()) {
            return Set.of();
        }
        return store.read(handle -> handle.createQuery(
                        "select id from api_key where id in (<ids>) and revoked_at is null and (expires_at is null or expires_at > :now)")
                .bindList("ids", List.copyOf(ids))
                .bind("now", clock.millis())
                .mapTo(String.class)
                .set());
    }

    /** The valid keys of all organizations, as passwords at proxies of the installation. */
    @WithoutCaller("proxies of the installation know the keys of all accounts")
    public List<ProxyPassword> passwords() {
        return store.read(handle -> handle.createQuery(PASSWORDS)
                .bind("now", clock.millis())
                .map((row, context) -> password(row))
                .list());
    }

    /** The valid keys of some organizations. */
    @WithoutCaller("proxies of the installation know the keys of all accounts")
    public List<ProxyPassword> passwords(Collection<String> organizations) {
        return organizations.isEmpty()
                ? List.of()
                : store.read(handle -> handle.createQuery(PASSWORDS + " and organization_id in (<organizations>)")
                        .bind("now", clock.millis())
                        .bindList("organizations", List.copyOf(organizations))
                        .map((row, context) -> password(row))
                        .list());
    }

    private static ProxyPassword password(ResultSet row) throws SQLException {
        return new ProxyPassword(
                row.getString("organization_id"),
                row.getString("id"),
                Tokens.digest(row.getString("token_hash")),
                expiry(row));
    }

    private static boolean isWellFormed(String token) {
        return token.length() == TOKEN_LENGTH && token.startsWith(PREFIX);
    }

    private Optional<Owner> find(String hash) {
        return store.read(handle -> Optional.ofNullable(Statements.first(
                handle,
                "select id, organization_id, user_id, token_hash from api_key where token_hash = ? and revoked_at is null and (expires_at is null or expires_at > ?)",
                row -> new Owner(row.getString(1), row.getString(2), row.getString(3), row.getString(4)),
                hash,
                clock.millis())));
    }

    /** Makes a key of the caller; 409 when the organization has too many. */
    public Written<NewApiKey> create(Caller caller, ApiKeyDraft draft) {
        return create(caller, caller.userId(), draft);
    }

    /** Makes a key of a user of the caller's organization. */
    Written<NewApiKey> create(Caller caller, String userId, ApiKeyDraft draft) {
        Instant expiresAt = draft.expiresAt();
        if (expiresAt != null && !expiresAt.isAfter(clock.instant())) {
            throw Refusal.invalid("expires_at", "in the past (expected: a later time)");
        }
        return store.write(transaction -> create(transaction, caller, userId, draft));
    }

    /** Makes a key in a running transaction. */
    NewApiKey create(Transaction transaction, Caller caller, String userId, ApiKeyDraft draft) {
        refuseBeyondQuota(transaction, caller);
        String token = Tokens.random(PREFIX);
        Instant expiresAt = draft.expiresAt();
        NewApiKey key = new NewApiKey(
                ids.next("key_", transaction.now()),
                draft.name(),
                token.substring(0, SHOWN),
                token,
                Instant.ofEpochMilli(transaction.now()),
                expiresAt == null ? null : Instant.ofEpochMilli(expiresAt.toEpochMilli()));
        transaction
                .sql()
                .createUpdate(
                        "insert into api_key (id, organization_id, user_id, name, prefix, token_hash, created_at, expires_at) values (:id, :organization, :user, :name, :prefix, :hash, :now, :expires)")
                .bind("id", key.id())
                .bind("organization", caller.organizationId())
                .bind("user", userId)
                .bind("name", key.name())
                .bind("prefix", key.prefix())
                .bind("hash", Tokens.hash(token))
                .bind("now", transaction.now())
                .bind("expires", expiresAt == null ? null : (Long) expiresAt.toEpochMilli())
                .execute();
        transaction.changed(caller.organizationId(), "api_key", key.id());
        audit.record(transaction, caller, Administered.created("api_key", key.id(), key.withoutToken()));
        return key;
    }

    private static void refuseBeyondQuota(Transaction transaction, Caller caller) {
        transaction.lockOrganization(caller.organizationId());
        int live = transaction
                .sql()
                .createQuery(
                        "select count(*) from api_key where organization_id = :organization and revoked_at is null and (expires_at is null or expires_at > :now)")
                .bind("organization", caller.organizationId())
                .bind("now", transaction.now())
                .mapTo(Integer.class)
                .one();
        if (live >= MOST) {
            throw Refusal.quotaExceeded(MOST + " valid keys exist (expected: no more; revoke one)");
        }
    }

    /** The keys of the organization that were not revoked; expired ones, too. */
    public Page<ApiKey> list(Caller caller, @Nullable String name, PageRequest page) {
        PageRequest.Position after = page.after();
        String sql = "select * from api_key where organization_id = :organization and revoked_at is null"
                + (name == null ? "" : " and name = :name")
                + (after == null ? "" : " and (created_at, id) " + page.comparison() + " (:time, :id)")
                + " order by created_at " + page.direction() + ", id " + page.direction() + " limit :limit";
        return store.read(handle -> {
            Query query = handle.createQuery(sql)
                    .bind("organization", caller.organizationId())
                    .bind("limit", page.limit() + 1);
            if (name != null) {
                query.bind("name", name);
            }
            if (after != null) {
                query.bind("time", after.time()).bind("id", after.id());
            }
            return Page.of(query.map((row, context) -> key(row)).list(), page.limit());
        });
    }

    /** Revokes a key: from now on it is not valid. */
    public Written<ApiKey> revoke(Caller caller, String id) {
        return store.write(transaction -> {
            ApiKey key = require(transaction.sql(), caller, id, transaction.rowLock());
            transaction
                    .sql()
                    .createUpdate("update api_key set revoked_at = :now where id = :id")
                    .bind("now", transaction.now())
                    .bind("id", id)
                    .execute();
            transaction.changed(caller.organizationId(), "api_key", id);
            audit.record(transaction, caller, Administered.deleted("api_key", id, key));
            return key;
        });
    }

    /** A key that was not revoked; 404 when the account has none of this id. */
    public ApiKey get(Caller caller, String id) {
        return store.read(handle -> require(handle, caller, id, ""));
    }

    private static ApiKey require(Handle handle, Caller caller, String id, String lock) {
        if (!Ids.isWellFormed("key_", id)) {
            throw unknown();
        }
        return handle.createQuery(
                        "select * from api_key where id = :id and organization_id = :organization and revoked_at is null"
                                + lock)
                .bind("id", id)
                .bind("organization", caller.organizationId())
                .map((row, context) -> key(row))
                .findOne()
                .orElseThrow(ApiKeys::unknown);
    }

    private static Refusal unknown() {
        return Refusal.notFound("api_key_not_found", "no such API key");
    }

    /** The key of the request. */
    public ApiKey own(Caller caller) {
        return store.read(handle -> handle.createQuery("select * from api_key where id = :id")
                .bind("id", caller.apiKeyId())
                .map((row, context) -> key(row))
                .one());
    }

    private static ApiKey key(ResultSet row) throws SQLException {
        return new ApiKey(
                row.getString("id"),
                row.getString("name"),
                row.getString("prefix"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                expiry(row));
    }

    private static @Nullable Instant expiry(ResultSet row) throws SQLException {
        long expiresAt = row.getLong("expires_at");
        return row.wasNull() ? null : Instant.ofEpochMilli(expiresAt);
    }
}
