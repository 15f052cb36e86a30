package dev.sallyport.control.audit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Millis;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.store.Statements;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.result.ResultIterator;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The record of administrative changes. Each is written in the transaction of its change. */
@Singleton
public final class AdminAudit {

    private static final int LARGEST_STATE = 16 << 10;
    private static final long LARGEST_PAGE = 8L << 20;

    private final Store store;
    private final Ids ids;

    public AdminAudit(Store store, Ids ids) {
        this.store = store;
        this.ids = ids;
    }

    /**
     * Which events.
     *
     * @param since inclusive
     * @param until exclusive
     */
    public record Filter(
            @Nullable String action,
            @Nullable String resource,
            @Nullable Instant since,
            @Nullable Instant until) {}

    /** Records a change of the running transaction. */
    public void record(Transaction transaction, Caller caller, Administered change) {
        String id = ids.next("aud_", transaction.now());
        Statements.update(
                transaction.sql(),
                "insert into admin_audit (id, organization_id, happened_at, user_id, api_key_id, action, resource, resource_id, state_before, state_after, remote_addr) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                id,
                caller.organizationId(),
                Ids.millis("aud_", id), // the same, so that the identifier is a position in the list
                caller.userId().isEmpty() ? null : caller.userId(),
                caller.apiKeyId(),
                change.action(),
                change.resource(),
                change.resourceId(),
                bounded(change.before()),
                bounded(change.after()),
                caller.remoteAddress().isEmpty() ? null : caller.remoteAddress());
    }

    /** A long state stands in the record as its length and hash: records are kept, and listed, by the hundred. */
    private static @Nullable String bounded(@Nullable String state) {
        if (state == null) {
            return null;
        }
        byte[] bytes = state.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= LARGEST_STATE ? state : Json.text(new Digest(bytes.length, Tokens.hash(bytes)));
    }

    private record Digest(int bytes, String sha256) {}

    /**
     * The changes of the caller's organization, ordered by time and identifier. A page of more than 8 MiB ends before
     * the limit.
     */
    public Page<AdminEvent> list(Caller caller, Filter filter, PageRequest page) {
        StringBuilder sql = new StringBuilder("select * from admin_audit where organization_id = :organization");
        if (filter.action() != null) {
            sql.append(" and action = :action");
        }
        if (filter.resource() != null) {
            sql.append(" and resource = :resource");
        }
        if (filter.since() != null) {
            sql.append(" and happened_at >= :since");
        }
        if (filter.until() != null) {
            sql.append(" and happened_at < :until");
        }
        PageRequest.Position after = page.after();
        if (after != null) {
            sql.append(" and (happened_at, id) ").append(page.comparison()).append(" (:time, :id)");
        }
        sql.append(" order by happened_at ").append(page.direction());
        sql.append(", id ").append(page.direction()).append(" limit :limit");
        return store.read(handle -> {
            Query query = handle.createQuery(sql.toString())
                    .bind("organization", caller.organizationId())
                    .bind("limit", page.limit() + 1);
            bind(query, filter);
            if (after != null) {
                query.bind("time", after.time()).bind("id", after.id());
            }
            try (ResultIterator<Sized> events =
                    query.map((row, context) -> event(row)).iterator()) {
                return page(events, page.limit());
            }
        });
    }

    /**
     * An event as it was read.
     *
     * @param size how long its states are as text
     */
    private record Sized(AdminEvent event, long size) {}

    private static Page<AdminEvent> page(ResultIterator<Sized> events, int limit) {
        List<AdminEvent> rows = new ArrayList<>();
        long size = 0;
        while (events.hasNext()) {
            if (rows.size() == limit || size > LARGEST_PAGE) {
                return new Page<>(rows, true);
            }
            Sized next = events.next();
            size += next.size();
            rows.add(next.event());
        }
        return new Page<>(rows, false);
    }

    private static void bind(Query query, Filter filter) {
        if (filter.action() != null) {
            query.bind("action", filter.action());
        }
        if (filter.resource() != null) {
            query.bind("resource", filter.resource());
        }
        if (filter.since() != null) {
            query.bind("since", Millis.ceiling(filter.since()));
        }
        if (filter.until() != null) {
            query.bind("until", Millis.ceiling(filter.until()));
        }
    }

    private static Sized event(ResultSet row) throws SQLException {
        String before = row.getString("state_before");
        String after = row.getString("state_after");
        AdminEvent event = new AdminEvent(
                row.getString("id"),
                Instant.ofEpochMilli(row.getLong("happened_at")),
                new AdminEvent.Actor(row.getString("user_id"), row.getString("api_key_id")),
                row.getString("action"),
                row.getString("resource"),
                row.getString("resource_id"),
                tree(before),
                tree(after),
                row.getString("remote_addr"));
        return new Sized(event, length(before) + length(after));
    }

    private static long length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    private static @Nullable JsonNode tree(@Nullable String text) {
        return text == null ? null : Json.read(text, JsonNode.class);
    }
}
