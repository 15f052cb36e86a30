package dev.sallyport.control.egress;

import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The egress rules of organizations that have been read within a minute: of these, only what has come or gone since is read
 * again, so that a change of one rule does not cost a thousand others. Rules never change. Thread-safe.
 */
public final class KeptRules {

    /** After which an organization's rules are read as a whole again. */
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** How many changes, of whichever organizations, are looked through in the time that it takes to read a rule. */
    private static final int LOOKED_THROUGH = 4;

    private final int most;
    private final LongSupplier clock;

    /** By organization; what was read first as a whole comes first. */
    private final Map<String, Kept> kept = new LinkedHashMap<>();

    private int count;

    /**
     * Rules as they were at a moment.
     *
     * @param position the order number of the last change before
     * @param wholeAt when they were read as a whole
     */
    private record Kept(long position, List<AllowedRule> rules, long wholeAt) {}

    /**
     * Keeps nothing yet.
     *
     * @param most how many rules are kept, of all organizations
     * @param clock as {@link System#nanoTime}
     */
    public KeptRules(int most, LongSupplier clock) {
        this.most = most;
        this.clock = clock;
    }

    /** The present rules of an organization, the older first; see {@link Store#readAtOneMoment}. */
    @WithoutCaller("proxies get what their organization has, whoever asks")
    public List<AllowedRule> of(Handle handle, String organization) {
        long position = Store.position(handle);
        Kept before = find(organization, position);
        Kept now = before == null
                ? new Kept(position, whole(handle, organization), clock.getAsLong())
                : new Kept(position, changed(handle, organization, before), before.wholeAt());
        keep(organization, now);
        return now.rules();
    }

    private static List<AllowedRule> whole(Handle handle, String organization) {
        return EgressRules.of(handle, organization).stream()
                .map(AllowedRule::of)
                .toList();
    }

    private static List<AllowedRule> changed(Handle handle, String organization, Kept before) {
        Map<String, EgressRules.Change> changes = new HashMap<>();
        EgressRules.since(handle, organization, before.position()).forEach(change -> changes.put(change.id(), change));
        if (changes.isEmpty()) {
            return before.rules();
        }
        List<AllowedRule> rules = new ArrayList<>(before.rules().size() + changes.size());
        for (AllowedRule rule : before.rules()) {
            if (!changes.containsKey(rule.id())) {
                rules.add(rule);
            }
        }
        for (EgressRules.Change change : changes.values()) {
            if (change.rule() != null) {
                rules.add(AllowedRule.of(change.rule()));
            }
        }
        rules.sort(AllowedRule.OLDER);
        return List.copyOf(rules);
    }

    /** Null where all have to be read, or that takes no longer. */
    private synchronized @Nullable Kept find(String organization, long position) {
        forgetOld();
        Kept found = kept.get(organization);
        return found == null
                        || found.position() > position
                        || (position - found.position()) / LOOKED_THROUGH
                                > found.rules().size()
                ? null
                : found;
    }

    private synchronized void keep(String organization, Kept now) {
        Kept before = kept.get(organization);
        if (before != null && before.position() > now.position()) {
            return; // another thread has read them since
        }
        if (before != null && before.wholeAt() != now.wholeAt()) {
            kept.remove(organization);
        }
        kept.put(organization, now);
        count += now.rules().size() - (before == null ? 0 : before.rules().size());
        Iterator<Kept> eldest = kept.values().iterator();
        while (count > most) {
            count -= eldest.next().rules().size();
            eldest.remove();
        }
    }

    /** Forgets what is to be read as a whole again. */
    @WithoutCaller("housekeeping")
    public synchronized void forgetOld() {
        long now = clock.getAsLong();
        Iterator<Kept> eldest = kept.values().iterator();
        while (eldest.hasNext()) {
            Kept next = eldest.next();
            if (now - next.wholeAt() <= KEPT_NANOS) {
                return;
            }
            count -= next.rules().size();
            eldest.remove();
        }
    }

    /** How many rules are kept. */
    synchronized int size() {
        return count;
    }
}
