package dev.sallyport.control.proxy;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** Proxies and their tokens, of which only hashes are stored. Thread-safe; blocks. */
@Singleton
public final class Proxies {

    /** What changes of proxies are called. */
    public static final String RESOURCE = "proxy";

    private static final String ID = "prx_";
    private static final String PREFIX = "sp_proxy_";
    /** Of those of the installation: a proxy tells by it what to expect. */
    private static final String SHARED_PREFIX = "sp_shared_";

    private static final int RANDOM_LENGTH = 43;
    private static final int SHOWN = 4;
    /** Proxies of an organization: the list is not paged. */
    private static final int MOST = 1000;

    private static final Duration HEARD_OF = Duration.ofMinutes(1);

    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;
    private final Clock clock;

    public Proxies(Store store, Ids ids, AdminAudit audit, Clock clock) {
        this.store = store;
        this.ids = ids;
        this.audit = audit;
        this.clock = clock;
    }

    /** Makes a proxy; 409 when the name is taken, or the organization has too many. */
    public Written<NewProxy> create(Caller caller, ProxyDraft draft) {
        return store.write(transaction -> {
            refuseTaken(transaction, caller, draft.name());
            refuseBeyondQuota(transaction, caller);
            return insert(transaction, caller, draft, PREFIX);
        });
    }

    /** Makes one of the installation; see {@link SharedProxies}. */
    NewProxy insertShared(Transaction transaction, Caller operator, ProxyDraft draft) {
        return insert(transaction, operator, draft, SHARED_PREFIX);
    }

    private NewProxy insert(Transaction transaction, Caller caller, ProxyDraft draft, String prefix) {
        String token = Tokens.random(prefix);
        NewProxy proxy = new NewProxy(
                ids.next(ID, transaction.now()),
                draft.name(),
                draft.tags(),
                token.substring(0, prefix.length() + SHOWN),
                token,
                Instant.ofEpochMilli(transaction.now()));
        transaction
                .sql()
                .createUpdate(
                        "insert into proxy (id, organization_id, name, tags, prefix, token_hash, created_at, problems) values (:id, :organization, :name, :tags, :prefix, :hash, :now, '[]')")
                .bind("id", proxy.id())
                .bind("organization", caller.organizationId().isEmpty() ? null : caller.organizationId())
                .bind("name", proxy.name())
                .bind("tags", Json.text(proxy.tags()))
                .bind("prefix", proxy.prefix())
                .bind("hash", Tokens.hash(token))
                .bind("now", transaction.now())
                .execute();
        transaction.changed(caller.organizationId(), RESOURCE, proxy.id());
        audit.record(transaction, caller, Administered.created(RESOURCE, proxy.id(), proxy.withoutToken()));
        return proxy;
    }

    private static void refuseTaken(Transaction transaction, Caller caller, String name) {
        boolean taken = transaction
                .sql()
                .createQuery(
                        "select 1 from proxy where organization_id = :organization and name = :name and revoked_at is null")
                .bind("organization", caller.organizationId())
                .bind("name", name)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
        if (taken) {
            throw Refusal.conflict("proxy_name_taken", "a proxy with this name exists");
        }
    }

    private static void refuseBeyondQuota(Transaction transaction, Caller caller) {
        transaction.lockOrganization(caller.organizationId());
        int present = transaction
                .sql()
                .createQuery("select count(*) from proxy where organization_id = :organization and revoked_at is null")
                .bind("organization", caller.organizationId())
                .mapTo(Integer.class)
                .one();
        if (present >= MOST) {
            throw Refusal.quotaExceeded(MOST + " proxies exist (expected: no more; delete one)");
        }
    }

    /** The proxies of the organization by name. */
    public List<Proxy> list(Caller caller) {
        return store.read(handle -> handle.createQuery(
                        "select * from proxy where organization_id = :organization and revoked_at is null order by name")
                .bind("organization", caller.organizationId())
                .map((row, context) -> proxy(row))
                .list());
    }

    /** A proxy; 404 when the organization has none of this id. */
    public Proxy get(Caller caller, String id) {
        return store.read(handle -> find(handle, caller, id, "")).orElseThrow(Proxies::unknown);
    }

    /** Revokes a proxy's token: it gets no more policies, and keeps none. */
    public Written<Proxy> delete(Caller caller, String id) {
        return store.write(transaction -> {
            Proxy proxy =
                    find(transaction.sql(), caller, id, transaction.rowLock()).orElseThrow(Proxies::unknown);
            revoke(transaction, caller, proxy);
            return proxy;
        });
    }

    /** Has its token open nothing any more. */
    void revoke(Transaction transaction, Caller caller, Proxy proxy) {
        transaction
                .sql()
                .createUpdate("update proxy set revoked_at = :now where id = :id")
                .bind("now", transaction.now())
                .bind("id", proxy.id())
                .execute();
        transaction.changed(caller.organizationId(), RESOURCE, proxy.id());
        audit.record(transaction, caller, Administered.deleted(RESOURCE, proxy.id(), proxy));
    }

    /** A proxy's row in the feed. */
    private record Row(ProxyIdentity identity, String hash, boolean revoked) {}

    /** Whoever has this token; refuses with 401, code {@code proxy_revoked} where it was one. */
    @WithoutCaller("it finds out who the proxy is")
    public ProxyIdentity authenticate(String token) {
        String hash = Tokens.hash(token);
        Row row = (isWellFormed(token) ? find(hash) : Optional.<Row>empty())
                .filter(found -> Tokens.equal(found.hash(), hash))
                .orElseThrow(
                        () -> Refusal.unauthorized("not a token of a proxy (expected: Authorization: Bearer TOKEN)"));
        if (row.revoked()) {
            throw Refusal.of(401, "proxy_revoked", "the proxy was deleted (expected: a new one, with its token)");
        }
        return row.identity();
    }

    private static boolean isWellFormed(String token) {
        return Stream.of(PREFIX, SHARED_PREFIX)
                .anyMatch(prefix -> token.startsWith(prefix) && token.length() == prefix.length() + RANDOM_LENGTH);
    }

    private Optional<Row> find(String hash) {
        return store.read(handle -> handle.createQuery(
                        "select id, coalesce(organization_id, ''), tags, token_hash, revoked_at from proxy where token_hash = :hash")
                .bind("hash", hash)
                .map((row, context) -> new Row(
                        new ProxyIdentity(row.getString(1), row.getString(2), tags(row.getString(3))),
                        row.getString(4),
                        row.getObject(5) != null))
                .findOne());
    }

    /** Whether a proxy may still be served. */
    @WithoutCaller("the feed asks of proxies that are connected")
    public boolean isRevoked(String id) {
        return store.read(handle -> handle.createQuery("select 1 from proxy where id = :id and revoked_at is null")
                .bind("id", id)
                .mapTo(Integer.class)
                .findOne()
                .isEmpty());
    }

    /**
     * That a proxy is there.
     *
     * @param stream the connection over which it was heard
     * @param applied what it has applied; a lower number than before counts for nothing
     */
    public record Seen(String id, String stream, long applied) {}

    /**
     * Notes that proxies are there: all of them, or none. What was heard over a connection that is not the last one of its
     * proxy counts for nothing.
     *
     * @return those
     */
    @WithoutCaller("the proxies have shown their tokens")
    public List<Seen> seen(List<Seen> proxies) {
        int[] counts = store.write(transaction -> {
                    PreparedBatch batch = transaction
                            .sql()
                            .prepareBatch(
                                    "update proxy set last_seen_at = :now, applied_revision = case when coalesce(applied_revision, 0) < :applied then :applied else applied_revision end where id = :id and stream = :stream");
                    for (Seen proxy : proxies) {
                        batch.bind("now", transaction.now())
                                .bind("applied", proxy.applied())
                                .bind("id", proxy.id())
                                .bind("stream", proxy.stream())
                                .add();
                    }
                    return batch.execute();
                })
                .value();
        List<Seen> superseded = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] == 0) {
                superseded.add(proxies.get(i));
            }
        }
        return superseded;
    }

    /**
     * Notes that a proxy has connected; what it had applied before tells nothing of what it has now.
     *
     * @param stream names the connection from now on
     */
    @WithoutCaller("the proxy has shown its token")
    public void connected(ProxyIdentity proxy, String stream) {
        store.write(transaction -> transaction
                .sql()
                .createUpdate(
                        "update proxy set last_seen_at = :now, applied_revision = 0, stream = :stream where id = :id")
                .bind("now", transaction.now())
                .bind("stream", stream)
                .bind("id", proxy.id())
                .execute());
    }

    /**
     * Notes what a proxy has applied; a lower number than before counts for nothing, and neither does what is said of a
     * connection that is not its last one.
     *
     * @param stream the connection over which it came; null when the proxy does not say
     */
    @WithoutCaller("the proxy has shown its token")
    public void applied(ProxyIdentity proxy, @Nullable String stream, long revision, List<Proxy.Problem> problems) {
        store.write(transaction -> noteApplied(transaction, proxy, stream, revision, problems));
    }

    /** The same within a transaction; returns whether it counts. */
    boolean noteApplied(
            Transaction transaction,
            ProxyIdentity proxy,
            @Nullable String stream,
            long revision,
            List<Proxy.Problem> problems) {
        Update update = transaction
                .sql()
                .createUpdate(
                        "update proxy set last_seen_at = :now, applied_revision = case when coalesce(applied_revision, 0) < :revision then :revision else applied_revision end, problems = :problems where id = :id"
                                + (stream == null ? "" : " and stream = :stream"))
                .bind("now", transaction.now())
                .bind("revision", revision)
                .bind("problems", Json.text(problems))
                .bind("id", proxy.id());
        return (stream == null ? update : update.bind("stream", stream)).execute() > 0;
    }

    /**
     * What a proxy has applied of what came over a connection, according to the database, to which another process may have
     * written; 0 for nothing, empty when it has opened another connection since.
     */
    @WithoutCaller("the feed asks of proxies that are connected")
    public OptionalLong appliedRevision(String id, String stream) {
        return store.read(handle -> handle.createQuery(
                                "select coalesce(applied_revision, 0) from proxy where id = :id and stream = :stream")
                        .bind("id", id)
                        .bind("stream", stream)
                        .mapTo(Long.class)
                        .findOne())
                .map(OptionalLong::of)
                .orElseGet(OptionalLong::empty);
    }

    private Optional<Proxy> find(Handle handle, Caller caller, String id, String lock) {
        if (!Ids.isWellFormed(ID, id)) {
            return Optional.empty();
        }
        return handle.createQuery(
                        "select * from proxy where id = :id and organization_id = :organization and revoked_at is null"
                                + lock)
                .bind("id", id)
                .bind("organization", caller.organizationId())
                .map((row, context) -> proxy(row))
                .findOne();
    }

    private static Refusal unknown() {
        return Refusal.notFound("proxy_not_found", "no such proxy");
    }

    /** A proxy as its row has it. */
    Proxy proxy(ResultSet row) throws SQLException {
        Long seen = number(row, "last_seen_at");
        return new Proxy(
                row.getString("id"),
                row.getString("name"),
                tags(row.getString("tags")),
                row.getString("prefix"),
                status(seen),
                Instant.ofEpochMilli(row.getLong("created_at")),
                seen == null ? null : Instant.ofEpochMilli(seen),
                number(row, "applied_revision"),
                List.of(Json.read(row.getString("problems"), Proxy.Problem[].class)));
    }

    private Proxy.Status status(@Nullable Long seen) {
        if (seen == null) {
            return Proxy.Status.NEW;
        }
        return clock.millis() - seen <= HEARD_OF.toMillis() ? Proxy.Status.CONNECTED : Proxy.Status.DISCONNECTED;
    }

    private static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    private static List<String> tags(String json) {
        return List.of(Json.read(json, String[].class));
    }
}
