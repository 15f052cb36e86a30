package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.scan.Swapper;
import dev.sallyport.toolkit.scan.UnsafeValueException;
import java.util.BitSet;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks for placeholders in one head and collects the edits. Each thread has one, used over and over, so that a head
 * without placeholders costs no object; it is empty between calls.
 */
final class HeadSwap implements IntPredicate, Swapper.QuerySwap {

    private static final ThreadLocal<HeadSwap> MINE = ThreadLocal.withInitial(HeadSwap::new);

    private @Nullable Plan plan;
    private @Nullable Values values;
    private @Nullable RequestContext context;
    private @Nullable Target target;
    private Place place = Place.HEADER;
    private String header = "";
    private int layer;
    private Edits.@Nullable Builder edits;
    private @Nullable Uses uses;
    private @Nullable BitSet found;
    private @Nullable String query;
    private @Nullable Replacement unavailable;
    private boolean stale;
    private boolean unusable;

    private HeadSwap() {}

    /** The thread's own; to be cleared after use. */
    static HeadSwap begin(Plan plan, Values values, RequestContext context) {
        HeadSwap mine = MINE.get();
        mine.clear();
        mine.plan = plan;
        mine.values = values;
        mine.context = context;
        return mine;
    }

    /** Forgets the exchange. */
    void clear() {
        plan = null;
        values = null;
        context = null;
        target = null;
        edits = null;
        uses = null;
        found = null;
        query = null;
        unavailable = null;
        stale = false;
        unusable = false;
    }

    /** Looks through headers, query and path. */
    void run() {
        Plan compiled = plan();
        RequestHead head = context().head();
        try {
            headers(compiled, head.headers());
            if (compiled.scansQuery() && !head.query().isEmpty()) {
                swapQuery(head.query());
            }
            if (compiled.scansPath()) {
                swapPath(head.path());
            }
        } catch (UnsafeValueException e) {
            // Its value would change what the message means.
            unusable = true;
        }
    }

    private void headers(Plan compiled, Headers headers) {
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (!compiled.scansHeader(name)) {
                continue;
            }
            place = Place.HEADER;
            header = name;
            boolean credentials = HeaderNames.equal(name, "Authorization");
            String before = headers.value(i);
            String after = before;
            for (layer = 0; layer < values().layers(); layer++) {
                Swapper swapper = values().layer(layer);
                after = credentials ? swapper.authorization(after, this) : swapper.header(after, this);
            }
            if (changed(before, after)) {
                edits().setHeaderValue(name, occurrence(headers, i), after);
            }
        }
    }

    private void swapQuery(String before) {
        place = Place.QUERY;
        String after = before;
        for (layer = 0; layer < values().layers(); layer++) {
            after = values().layer(layer).query(after, this);
        }
        if (changed(before, after)) {
            query = after;
        }
    }

    private void swapPath(String before) {
        place = Place.PATH;
        String after = before;
        for (layer = 0; layer < values().layers(); layer++) {
            after = values().layer(layer).path(after, this);
        }
        if (changed(before, after)) {
            edits().setPath(after);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the swapper's way to say that nothing was replaced
    private static boolean changed(String before, String after) {
        return before != after;
    }

    /** How many lines of the name come before line {@code index}. */
    private static int occurrence(Headers headers, int index) {
        int occurrence = 0;
        for (int i = 0; i < index; i++) {
            if (HeaderNames.equal(headers.name(i), headers.name(index))) {
                occurrence++;
            }
        }
        return occurrence;
    }

    @Override
    public boolean test(int token) {
        Replacement chosen = choose(token);
        return chosen != null && take(chosen, place == Place.PATH ? "path" : "header:" + HeaderNames.canonical(header));
    }

    @Override
    public boolean swap(int token, String parameterName) {
        Replacement chosen = choose(token);
        return chosen != null && take(chosen, "query:" + parameterName);
    }

    private @Nullable Replacement choose(int token) {
        return plan().choose(token, place, header, target());
    }

    private boolean take(Replacement chosen, String location) {
        if (chosen.layer() != layer) {
            return false;
        }
        if (values().stale(chosen)) {
            stale = true;
            return false;
        }
        if (!values().has(chosen)) {
            unavailable = chosen;
            return false;
        }
        uses().add(chosen.secret().name(), location);
        if (found == null) {
            found = new BitSet();
        }
        found.set(chosen.token());
        return true;
    }

    // The outcome.

    /** A secret has changed while this ran: it counts for nothing and is to be done again with fresh values. */
    boolean stale() {
        return stale;
    }

    /** The entry whose placeholder is there, but no value for it; or null. */
    @Nullable Replacement unavailable() {
        return unavailable;
    }

    /** Whether a value cannot stand where its placeholder does. */
    boolean unusable() {
        return unusable;
    }

    /** Whether a placeholder was swapped. */
    boolean found(int token) {
        return found != null && found.get(token);
    }

    /** The query as it has become; null while it is unchanged. */
    @Nullable String query() {
        return query;
    }

    /** Sets the query. */
    void query(String changed) {
        query = changed;
    }

    /** What was swapped; null for nothing. */
    @Nullable Uses swapped() {
        return uses;
    }

    /** The same, to add to; outlives the call. */
    Uses uses() {
        Uses mine = uses;
        if (mine == null) {
            mine = new Uses();
            uses = mine;
        }
        return mine;
    }

    /** The edits so far, all marked as sensitive, to add to. */
    Edits.Builder edits() {
        Edits.Builder mine = edits;
        if (mine == null) {
            mine = Edits.builder().sensitive();
            edits = mine;
        }
        return mine;
    }

    /** All edits; none when nothing was found. */
    Edits result() {
        if (query != null) {
            edits().setQuery(query);
        }
        return edits == null ? Edits.none() : edits.build();
    }

    /** What the rules of this request are compared with. */
    Target target() {
        Target mine = target;
        if (mine == null) {
            mine = Target.of(context());
            target = mine;
        }
        return mine;
    }

    private Plan plan() {
        return Objects.requireNonNull(plan, "plan");
    }

    private Values values() {
        return Objects.requireNonNull(values, "values");
    }

    private RequestContext context() {
        return Objects.requireNonNull(context, "context");
    }
}
