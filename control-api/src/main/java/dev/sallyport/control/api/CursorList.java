package dev.sallyport.control.api;

import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A list with cursors that are bound to its order and its filters. */
final class CursorList {

    private final String bound;
    private final boolean named;
    private final boolean descending;

    private CursorList(String name, boolean named, @Nullable Order order, @Nullable Object... filters) {
        this.named = named;
        this.descending = order != Order.ASC;
        List<@Nullable Object> all = new ArrayList<>();
        all.add(name);
        all.add(named);
        all.add(descending);
        all.addAll(Arrays.asList(filters));
        this.bound = Json.text(all);
    }

    /** A list in the order of time. */
    static CursorList byTime(String name, @Nullable Order order, @Nullable Object... filters) {
        return new CursorList(name, false, order, filters);
    }

    /** A list in the order of names. */
    static CursorList byName(String name, @Nullable Order order, @Nullable Object... filters) {
        return new CursorList(name, true, order, filters);
    }

    /**
     * The part that is asked for; 422 when the cursor is of another list.
     *
     * @param usual the limit where there is none
     */
    PageRequest part(@Nullable String cursor, @Nullable Integer limit, int usual) {
        PageRequest.Position after = Cursors.position(cursor, bound);
        if (after != null && (after.name() != null) != named) {
            throw Cursors.unknown();
        }
        return new PageRequest(limit == null ? usual : limit, after, descending);
    }

    /** The answer with this part. */
    <T> Answer answer(Page<T> page, Function<T, PageRequest.Position> position) {
        return answer(page, position, row -> row);
    }

    /**
     * As above, with rows that hold more than is shown.
     *
     * @param shown null for what is left out
     */
    <T> Answer answer(Page<T> page, Function<T, PageRequest.Position> position, Function<T, @Nullable Object> shown) {
        String cursor =
                page.hasMore() ? Cursors.after(position.apply(page.rows().getLast()), bound) : null;
        List<Object> items = new ArrayList<>();
        for (T row : page.rows()) {
            Object item = shown.apply(row);
            if (item != null) {
                items.add(item);
            }
        }
        return Answer.of(200, new Answer.Items(items, page.hasMore(), cursor));
    }
}
