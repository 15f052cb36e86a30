package dev.sallyport.control.proxy;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * The proxies of the installation, which serve all accounts and belong to none: its operator makes and revokes them. Changes
 * of them are those of no organization, of the empty name. Thread-safe; blocks.
 */
@Singleton
public final class SharedProxies {

    /** What the change of such a proxy says whose it is. */
    public static final String INSTALLATION = "";

    /** The list is not paged. */
    private static final int MOST = 1000;

    private static final Caller OPERATOR = Caller.operator(INSTALLATION);
    private static final String PRESENT = "select * from proxy where organization_id is null and revoked_at is null";

    private final Store store;
    private final Proxies proxies;

    public SharedProxies(Store store, Proxies proxies) {
        this.store = store;
        this.proxies = proxies;
    }

    /** Makes one; 409 when the name is taken, or there are too many. */
    @WithoutCaller("the operator does it")
    public Written<NewProxy> create(ProxyDraft draft) {
        return store.write(transaction -> {
            List<Proxy> present = list(transaction.sql());
            if (present.stream().anyMatch(proxy -> proxy.name().equals(draft.name()))) {
                throw Refusal.conflict("proxy_name_taken", "a shared proxy with this name exists");
            }
            if (present.size() >= MOST) {
                throw Refusal.quotaExceeded(MOST + " shared proxies exist (expected: no more; revoke one)");
            }
            return proxies.insertShared(transaction, OPERATOR, draft);
        });
    }

    /** All of them by name. */
    @WithoutCaller("the operator does it")
    public List<Proxy> list() {
        return store.read(this::list);
    }

    private List<Proxy> list(Handle handle) {
        return handle.createQuery(PRESENT + " order by name")
                .map((row, context) -> proxies.proxy(row))
                .list();
    }

    /** The one with this name; 404 when there is none. */
    @WithoutCaller("the operator does it")
    public Proxy get(String name) {
        return store.read(handle -> find(handle, name, ""));
    }

    private Proxy find(Handle handle, String name, String lock) {
        return handle.createQuery(PRESENT + " and name = :name" + lock)
                .bind("name", name)
                .map((row, context) -> proxies.proxy(row))
                .findOne()
                .orElseThrow(() -> Refusal.notFound("proxy_not_found", "no shared proxy with this name"));
    }

    /** Revokes the token of the one with this name: it gets no more policies, and keeps none. */
    @WithoutCaller("the operator does it")
    public Written<Proxy> revoke(String name) {
        return store.write(transaction -> {
            Proxy proxy = find(transaction.sql(), name, transaction.rowLock());
            proxies.revoke(transaction, OPERATOR, proxy);
            return proxy;
        });
    }

    /** The accounts that one has been given, now or before. */
    @WithoutCaller("the feed asks of proxies that are connected")
    public Set<String> served(String id) {
        return store.read(
                handle -> handle.createQuery("select organization_id from served_account where proxy_id = :id")
                        .bind("id", id)
                        .mapTo(String.class)
                        .set());
    }

    /** Those of some accounts that one has been given, now or before: of others it cannot tell anything. */
    @WithoutCaller("the proxy has shown its token")
    public Set<String> served(String id, Collection<String> organizations) {
        return organizations.isEmpty()
                ? Set.of()
                : store.read(handle -> handle.createQuery(
                                "select organization_id from served_account where proxy_id = :id and organization_id in (<organizations>)")
                        .bind("id", id)
                        .bindList("organizations", List.copyOf(organizations))
                        .mapTo(String.class)
                        .set());
    }

    /** Notes that one is about to be given accounts. */
    @WithoutCaller("the feed does it for proxies that are connected")
    public void serve(String id, Collection<String> organizations) {
        store.write(transaction -> {
            PreparedBatch batch = transaction
                    .sql()
                    .prepareBatch(
                            "insert into served_account (proxy_id, organization_id) values (:proxy, :organization) on conflict do nothing");
            organizations.forEach(organization ->
                    batch.bind("proxy", id).bind("organization", organization).add());
            return batch.execute().length;
        });
    }

    /**
     * An account of which a proxy could make nothing.
     *
     * @param number of the event that it came in
     */
    public record Failure(long number, String organization) {}

    /**
     * What one has told processes that it is not connected to.
     *
     * @param number of the last event that it has applied
     * @param problems what of all accounts does not work
     */
    public record Told(long number, List<Proxy.Problem> problems, Set<Failure> failures) {}

    /**
     * Notes what one has applied, for the process that it is connected to; what is said of a connection that is not its last
     * one counts for nothing.
     *
     * @param stream the connection over which it came; null when the proxy does not say
     * @param failed the accounts of that event of which it could make nothing
     */
    @WithoutCaller("the proxy has shown its token")
    public void applied(
            ProxyIdentity proxy,
            @Nullable String stream,
            long number,
            List<Proxy.Problem> problems,
            Collection<String> failed) {
        store.write(transaction -> {
            if (proxies.noteApplied(transaction, proxy, stream, number, problems) && !failed.isEmpty()) {
                insertFailed(transaction.sql(), proxy, number, failed);
            }
            return number;
        });
    }

    /** Of accounts that it was given; the row of the proxy is locked. */
    private static void insertFailed(Handle handle, ProxyIdentity proxy, long number, Collection<String> failed) {
        PreparedBatch batch = handle.prepareBatch(
                "insert into failed_account (proxy_id, organization_id, stream, number) select served.proxy_id, served.organization_id, proxy.stream, :number from served_account served join proxy on proxy.id = served.proxy_id where served.proxy_id = :proxy and served.organization_id = :organization on conflict (proxy_id, organization_id) do update set stream = excluded.stream, number = excluded.number");
        failed.forEach(organization -> batch.bind("number", number)
                .bind("proxy", proxy.id())
                .bind("organization", organization)
                .add());
        batch.execute();
    }

    /**
     * What one has told other processes of a connection; empty when it has opened another one since.
     *
     * @param after the number up to which it is known
     */
    @WithoutCaller("the feed asks of proxies that are connected")
    public Optional<Told> told(String id, String stream, long after) {
        Optional<Told> told = store.read(handle -> handle.createQuery(
                        "select coalesce(applied_revision, 0), problems from proxy where id = :id and stream = :stream")
                .bind("id", id)
                .bind("stream", stream)
                .map((row, context) ->
                        new Told(row.getLong(1), List.of(Json.read(row.getString(2), Proxy.Problem[].class)), Set.of()))
                .findOne());
        return told.map(some ->
                some.number() > after ? new Told(some.number(), some.problems(), failures(id, stream, after)) : some);
    }

    /** The accounts of later events of which one has told other processes that it could make nothing. */
    @WithoutCaller("the proxy has shown its token")
    public Set<Failure> failures(String id, String stream, long after) {
        return store.read(handle -> handle.createQuery(
                        "select number, organization_id from failed_account where proxy_id = :id and stream = :stream and number > :after")
                .bind("id", id)
                .bind("stream", stream)
                .bind("after", after)
                .map((row, context) -> new Failure(row.getLong(1), row.getString(2)))
                .set());
    }
}
