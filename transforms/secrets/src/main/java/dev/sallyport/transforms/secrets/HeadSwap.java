package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.scan.PlaceholderReplacer;
import dev.sallyport.toolkit.scan.UnsafeValueException;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks for placeholders in one head and collects the edits. Each thread has one, used over and over, so that a head
 * without placeholders costs no object; it is empty between calls.
 */
final class HeadSwap implements PlaceholderReplacer.Choice, PlaceholderReplacer.QueryChoice {

    /**
     * The most bytes of values that may be put into one head, or into its trailers; the engine allows edits to add no
     * more.
     */
    static final long MOST_ADDED = 256 * 1024;

    private static final ThreadLocal<HeadSwap> MINE = ThreadLocal.withInitial(HeadSwap::new);

    private @Nullable Plan plan;
    private @Nullable RequestContext context;
    private @Nullable Target target;
    private RequestPart part = RequestPart.HEADER;
    private String header = "";
    private Edits.@Nullable Builder edits;
    private @Nullable UsageAnnotation swapped;
    private @Nullable UsageAnnotation misdirected;
    private @Nullable PlaceholderResolver resolver;
    private @Nullable BitSet found;
    private @Nullable String query;
    /**
     * Whether all values taken for the current place may be sent anywhere without TLS; likewise for the query below.
     */
    private boolean overPlaintext = true;

    private boolean queryOverPlaintext = true;
    private @Nullable Replacement unavailable;
    private @Nullable Replacement refusing;
    private boolean unusable;
    private boolean tooLarge;

    /** The placeholder that was swapped last, and where. */
    private int lastToken = -1;

    private String lastLocation = "";
    private long added;

    private HeadSwap() {}

    /** The current thread's instance; to be cleared after use. */
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
        resolver = null;
        found = null;
        query = null;
        queryOverPlaintext = true;
        unavailable = null;
        refusing = null;
        unusable = false;
        tooLarge = false;
        added = 0;
        lastToken = -1;
        lastLocation = "";
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
            // The value would change the meaning of the message.
            unusable = true;
        }
    }

    private void headers(Plan compiled, Headers headers) {
        PlaceholderReplacer replacer = compiled.replacer();
        if (!compiled.scansHeaders() || !replacer.mayFind(headers)) {
            return;
        }
        for (int i = 0; i < headers.size() && !tooLarge; i++) {
            String name = headers.name(i);
            if (!compiled.scansHeader(name)) {
                continue;
            }
            enter(RequestPart.HEADER);
            header = name;
            String before = headers.value(i);
            String after = HeaderNames.equal(name, "Authorization")
                    ? replacer.authorization(before, this)
                    : replacer.header(before, this);
            if (changed(before, after)) {
                edits(overPlaintext).setHeaderValue(name, occurrence(headers, i), after);
            }
        }
    }

    private void swapQuery(String before) {
        enter(RequestPart.QUERY);
        String after = plan().replacer().query(before, this);
        if (changed(before, after)) {
            query(after, overPlaintext);
        }
    }

    private void swapPath(String before) {
        enter(RequestPart.PATH);
        String after = plan().replacer().path(before, this);
        if (changed(before, after)) {
            edits(overPlaintext).setPath(after);
        }
    }

    private void enter(RequestPart next) {
        part = next;
        overPlaintext = true;
    }

    @SuppressWarnings("ReferenceEquality") // The replacer returns the same instance when nothing was replaced.
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
        return take(token, part == RequestPart.PATH ? "path" : "header:" + HeaderNames.canonical(header));
    }

    @Override
    public byte @Nullable [] value(int token, String parameterName) {
        return take(token, "query:" + parameterName);
    }

    private byte @Nullable [] take(int token, String location) {
        if (tooLarge) {
            return null;
        }
        Replacement chosen = plan().choose(token, part, header, target());
        if (chosen == null) {
            Replacement first = plan().misdirected(token, part, header, location, misdirected());
            refusing = refusing == null ? first : refusing;
            return null;
        }
        if (!chosen.secret().available()) {
            unavailable = chosen;
            return null;
        }
        SecretValue value = chosen.secret().value();
        added += value.length();
        if (added > MOST_ADDED) {
            // The request will not be sent, so the places that follow are left alone.
            tooLarge = true;
            return null;
        }
        if (token != lastToken || !location.equals(lastLocation)) { // A head may have thousands of them.
            lastToken = token;
            lastLocation = location;
            swapped().add(chosen.secret().name(), value, location);
        }
        if (found == null) {
            found = new BitSet();
        }
        found.set(token);
        overPlaintext &= chosen.overPlaintext();
        carry(chosen.credential().current());
        return value.bytes();
    }

    // The outcome.

    /** The entry whose placeholder was found although its value is unavailable; or null. */
    @Nullable Replacement unavailable() {
        return unavailable;
    }

    /** The first entry that refuses a placeholder found on its way to another destination; or null. */
    @Nullable Replacement refusing() {
        return refusing;
    }

    /** Whether a value cannot take the place of its placeholder. */
    boolean unusable() {
        return unusable;
    }

    /** Whether the values of the head's placeholders would exceed {@link #MOST_ADDED}. */
    boolean tooLarge() {
        return tooLarge;
    }

    /** Whether a placeholder was swapped. */
    boolean found(int token) {
        return found != null && found.get(token);
    }

    /** The changed query; null while it is unchanged. */
    @Nullable String query() {
        return query;
    }

    /** Sets the query; {@code mayBeClear} says whether its new parts may be sent anywhere without TLS. */
    void query(String changed, boolean mayBeClear) {
        query = changed;
        queryOverPlaintext &= mayBeClear;
    }

    /** Annotates the swaps so far. */
    void annotateSwapped() {
        if (swapped != null) {
            swapped.annotate(context().trace());
        }
    }

    /** Annotates the placeholders found that belong elsewhere. */
    void annotateMisdirected() {
        if (misdirected != null) {
            misdirected.annotate(context().trace());
        }
    }

    /** Collects what is found after the head; outlives the call. */
    PlaceholderResolver resolver() {
        PlaceholderResolver mine = resolver;
        if (mine == null) {
            mine = new PlaceholderResolver(
                    plan(), target(), swapped(), misdirected(), context().trace());
            resolver = mine;
        }
        return mine;
    }

    private UsageAnnotation swapped() {
        UsageAnnotation mine = swapped;
        if (mine == null) {
            mine = new UsageAnnotation(UsageAnnotation.SWAPPED);
            swapped = mine;
        }
        return mine;
    }

    private UsageAnnotation misdirected() {
        UsageAnnotation mine = misdirected;
        if (mine == null) {
            mine = new UsageAnnotation(UsageAnnotation.MISDIRECTED);
            misdirected = mine;
        }
        return mine;
    }

    /** Declares a value that is in the edits, or may be. */
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

    /** The edits so far, all marked as sensitive; the next edit added may be sent anywhere without TLS, or not. */
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

    /** The destination, method and path with which rules are compared. */
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
