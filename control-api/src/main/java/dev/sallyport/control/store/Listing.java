package dev.sallyport.control.store;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The rows that an organization has in a table, of which a part is read. For one thread. */
public final class Listing {

    private final StringBuilder sql;
    private final Map<String, Object> values = new LinkedHashMap<>();

    /** All rows of the caller's organization. */
    public Listing(String table, Caller caller) {
        sql = new StringBuilder("select * from ").append(table).append(" where organization_id = :organization_id");
        values.put("organization_id", caller.organizationId());
    }

    /** Only the rows with this value; all when it is null. */
    public Listing only(String column, @Nullable Object value) {
        if (value != null) {
            sql.append(" and ").append(column).append(" = :").append(column);
            values.put(column, value);
        }
        return this;
    }

    /** Only the rows that have nothing in this column. */
    public Listing without(String column) {
        sql.append(" and ").append(column).append(" is null");
        return this;
    }

    /**
     * Reads a part, in the order of a column and then of the identifier.
     *
     * @param column which holds what {@link PageRequest.Position#value} gives
     */
    public <T> Page<T> page(Handle handle, String column, PageRequest page, RowMapper<T> mapper) {
        PageRequest.Position after = page.after();
        if (after != null) {
            sql.append(" and (").append(column).append(", id) ").append(page.comparison());
            sql.append(" (:after_value, :after_id)");
            values.put("after_value", after.value());
            values.put("after_id", after.id());
        }
        sql.append(" order by ").append(column).append(' ').append(page.direction());
        sql.append(", id ").append(page.direction()).append(" limit :rows");
        values.put("rows", page.limit() + 1);
        Query query = handle.createQuery(sql.toString());
        values.forEach(query::bind);
        return Page.of(query.map(mapper).list(), page.limit());
    }
}
