package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.scan.Swapper;
import dev.sallyport.toolkit.scan.UnsafeValueException;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks for placeholders in one head and collects the edits. Each thread has one, used over and over, so that a head
 * without placeholders costs no object; it is empty between calls.
 */
final class HeadSwap implements Swapper.Choice, Swapper.QueryChoice {

    /** How many bytes of values may be put into one head, or into its trailers; the engine lets no edits add more. */
    static final long MOST_ADDED = 256 * 1024;

    private static final ThreadLocal<HeadSwap> MINE = ThreadLocal.withInitial(HeadSwap::new);

    private @Nullable Plan plan;
    private @Nullable RequestContext context;
    private @Nullable Target target;
    private Place place = Place.HEADER;
    private String header = "";
    private Edits.@Nullable Builder edits;
    private @Nullable Uses swapped;
    private @Nullable Uses misdirected;
    private @Nullable Sightings sightings;
    private @Nullable BitSet found;
    private @Nullable String query;
    /** Whether everything taken for the place at hand, and for the query, may go anywhere without TLS. */
    private boolean overPlaintext = true;

    private boolean queryOverPlaintext = true;
    private @Nullable Replacement unavailable;
    private @Nullable Replacement refusing;
    private boolean unusable;
    private boolean tooLarge;
    private long added;

    private HeadSwap() {}

    /** The thread's own; to be cleared after use. */
    static HeadSwap begin(Plan plan, RequestContext context) {
        HeadSwap mine = MINE.get();
        mine.clear();
        mine.plan = plan;
        mine.context = context;
        return mine;
    }

    /** Forgets the exchange. */
    void clear() {
        plan = null;
        context = null;
        target = null;
        edits = null;
        swapped = null;
        misdirected = null;
        sightings = null;
        found = null;
        query = null;
        queryOverPlaintext = true;
        unavailable = null;
        refusing = null;
        unusable = false;
        tooLarge = false;
        added = 0;
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
        Swapper swapper = compiled.swapper();
        if (!compiled.scansHeaders() || !swapper.mayFind(headers)) {
            return;
        }
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (!compiled.scansHeader(name)) {
                continue;
            }
            enter(Place.HEADER);
            header = name;
            String before = headers.value(i);
            String after = HeaderNames.equal(name, "Authorization")
                    ? swapper.authorization(before, this)
                    : swapper.header(before, this);
            if (changed(before, after)) {
                edits(overPlaintext).setHeaderValue(name, occurrence(headers, i), after);
            }
        }
    }

    private void swapQuery(String before) {
        enter(Place.QUERY);
        String after = plan().swapper().query(before, this);
        if (changed(before, after)) {
            query(after, overPlaintext);
        }
    }

    private void swapPath(String before) {
        enter(Place.PATH);
        String after = plan().swapper().path(before, this);
        if (changed(before, after)) {
            edits(overPlaintext).setPath(after);
        }
    }

    private void enter(Place next) {
        place = next;
        overPlaintext = true;
    }

    @SuppressWarnings("ReferenceEquality") // the swapper's way to say that nothing was replaced
    private static boolean changed(String before, String after) {
        return before != after;
    }

    /** How many lines of the name come before line {@code index}. */
    static int occurrence(Headers headers, int index) {
        int occurrence = 0;
        for (int i = 0; i < index; i++) {
            if (HeaderNames.equal(headers.name(i), headers.name(index))) {
                occurrence++;
            }
        }
        return occurrence;
    }

    @Override
    public byte @Nullable [] value(int token) {
        return take(token, place == Place.PATH ? "path" : "header:" + HeaderNames.canonical(header));
    }

    @Override
    public byte @Nullable [] value(int token, String parameterName) {
        return take(token, "query:" + parameterName);
    }

    private byte @Nullable [] take(int token, String location) {
        Replacement chosen = plan().choose(token, place, header, target());
        if (chosen == null) {
            Replacement first = plan().misdirected(token, place, header, location, misdirected());
            refusing = refusing == null ? first : refusing;
            return null;
        }
        if (!chosen.secret().available()) {
            unavailable = chosen;
            return null;
        }
        added += chosen.secret().value().length();
        if (added > MOST_ADDED) {
            // Nothing of it will be sent: the places that follow stay as they are.
            tooLarge = true;
            return null;
        }
        swapped().add(chosen.secret().name(), location);
        if (found == null) {
            found = new BitSet();
        }
        found.set(token);
        overPlaintext &= chosen.overPlaintext();
        carry(chosen.credential().current());
        return chosen.secret().value().bytes();
    }

    // The outcome.

    /** The entry whose placeholder is there, but no value for it; or null. */
    @Nullable Replacement unavailable() {
        return unavailable;
    }

    /** The first entry that refuses a placeholder which is there, on its way to another destination; or null. */
    @Nullable Replacement refusing() {
        return refusing;
    }

    /** Whether a value cannot stand where its placeholder does. */
    boolean unusable() {
        return unusable;
    }

    /** Whether the placeholders of the head stand for more than any head may have. */
    boolean tooLarge() {
        return tooLarge;
    }

    /** Whether a placeholder was swapped. */
    boolean found(int token) {
        return found != null && found.get(token);
    }

    /** The query as it has become; null while it is unchanged. */
    @Nullable String query() {
        return query;
    }

    /** Sets the query; {@code mayBeClear} says whether what is new in it may go anywhere without TLS. */
    void query(String changed, boolean mayBeClear) {
        query = changed;
        queryOverPlaintext &= mayBeClear;
    }

    /** Writes what was swapped so far. */
    void annotateSwapped() {
        if (swapped != null) {
            swapped.annotate(context().trace());
        }
    }

    /** Writes what was found that belongs elsewhere. */
    void annotateMisdirected() {
        if (misdirected != null) {
            misdirected.annotate(context().trace());
        }
    }

    /** For what is found after the head; outlives the call. */
    Sightings sightings() {
        Sightings mine = sightings;
        if (mine == null) {
            mine = new Sightings(
                    plan(), target(), swapped(), misdirected(), context().trace());
            sightings = mine;
        }
        return mine;
    }

    private Uses swapped() {
        Uses mine = swapped;
        if (mine == null) {
            mine = new Uses(Uses.SWAPPED);
            swapped = mine;
        }
        return mine;
    }

    private Uses misdirected() {
        Uses mine = misdirected;
        if (mine == null) {
            mine = new Uses(Uses.MISDIRECTED);
            misdirected = mine;
        }
        return mine;
    }

    /** Tells of a value that is in the edits, or may be. */
    void carry(Credential secret) {
        builder().credential(secret);
    }

    private Edits.Builder builder() {
        Edits.Builder mine = edits;
        if (mine == null) {
            mine = Edits.builder().sensitive();
            edits = mine;
        }
        return mine;
    }

    /** The edits so far, all marked as sensitive, to add one to that may go anywhere without TLS, or may not. */
    Edits.Builder edits(boolean mayBeClear) {
        return builder().overPlaintext(mayBeClear);
    }

    /** All edits; none when nothing was found. */
    Edits result() {
        if (query != null) {
            edits(queryOverPlaintext).setQuery(query);
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

    private RequestContext context() {
        return Objects.requireNonNull(context, "context");
    }
}
