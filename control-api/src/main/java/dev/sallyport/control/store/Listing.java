package dev.sallyport.control.store;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The rows that an organization has in a table, of which a part is read. For one thread. */
public final class Listing {

    private final StringBuilder sql;
    private final List<Object> values = new ArrayList<>();

    /** All rows of the caller's organization. */
    public Listing(String table, Caller caller) {
        sql = new StringBuilder("select * from ").append(table).append(" where organization_id = ?");
        values.add(caller.organizationId());
    }

    /** Only the rows with this value; all when it is null. */
    public Listing only(String column, @Nullable Object value) {
        if (value != null) {
            sql.append(" and ").append(column).append(" = ?");
            values.add(value);
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
    public <T> Page<T> page(Handle handle, String column, PageRequest page, Statements.Row<T> row) {
        PageRequest.Position after = page.after();
        if (after != null) {
            sql.append(" and (").append(column).append(", id) ").append(page.comparison());
            sql.append(" (?, ?)");
            values.add(after.value());
            values.add(after.id());
        }
        sql.append(" order by ").append(column).append(' ').append(page.direction());
        sql.append(", id ").append(page.direction()).append(" limit ?");
        values.add(page.limit() + 1);
        return Page.of(Statements.all(handle, sql.toString(), row, values.toArray()), page.limit());
    }
}
