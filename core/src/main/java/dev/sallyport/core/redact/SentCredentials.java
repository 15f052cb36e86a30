package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The credentials that one workload has sent. A value is searched for at every host of the same registrable domain as one
 * that it was sent to, at every address that it was sent to, and wherever its entry's rules allow to send it, on any port
 * and scheme. It counts until it was superseded or deleted, and for the configured time afterwards. Of undeclared values,
 * which a workload can make arbitrarily many of, the latest count. A value whose secret was deleted is never in use again,
 * whatever is sent. Thread-safe; look-ups take no lock, but for the first from a place after a change.
 */
final class SentCredentials {

    /** For how many addresses of destinations it is known what to search for. */
    private static final int KNOWN = 1024;

    private static final int SLOTS = 1024;

    /** How many undeclared values are kept beyond those in use, and their total length. */
    private static final int DERIVED = 64;

    private static final int DERIVED_BYTES = 32 * 1024;

    /** The place that a value comes from: the next value from there supersedes it. */
    private record Slot(String stage, String name, String place) {}

    private final LongSupplier nanoTime;
    private final Predicate<String> deleted;
    private final ConcurrentHashMap<Credential, Long> superseded = new ConcurrentHashMap<>();
    private final PartMasks masks = new PartMasks();

    /** What is known of destinations; another one after each change. */
    private volatile Map<Destination, DestinationCredentials> destinations = new ConcurrentHashMap<>();

    private volatile boolean none = true;

    // Guarded by this.
    private int known;
    /** The sets that these have: a workload may have many places, and few sets of values. */
    private final Map<CredentialSet, CredentialSet> sets = new HashMap<>(2);

    private final Map<Credential, SentPlaces> values = new LinkedHashMap<>();
    private final Map<Slot, Credential> lasts = new HashMap<>();
    private final Map<Slot, Credential> current = new HashMap<>();
    /** The superseded values that were not declared, oldest first. */
    private final Set<Credential> derived = new LinkedHashSet<>();

    /** @param deleted whether the secret of this name was deleted */
    SentCredentials(LongSupplier nanoTime, Predicate<String> deleted) {
        this.nanoTime = nanoTime;
        this.deleted = deleted;
    }

    /** The parts of contents at whose edges something was masked. */
    PartMasks masks() {
        return masks;
    }

    /** The values that a response from there may have. */
    CredentialSet wantedFrom(Destination origin, @Nullable InetAddress address) {
        return none ? CredentialSet.EMPTY : here(origin, address).wanted();
    }

    /** Whether it is known that a value is sent there, and that it is in use. */
    boolean knows(Destination origin, @Nullable InetAddress address, Credential secret) {
        if (none || (!superseded.isEmpty() && superseded.containsKey(secret))) {
            return false;
        }
        return here(origin, address).knows(secret);
    }

    /** A value is sent there. */
    void send(Destination origin, @Nullable InetAddress address, String stage, Credential secret) {
        if (!knows(origin, address, secret)) {
            note(origin, address, stage, secret);
        }
    }

    private DestinationCredentials.AtAddress here(Destination origin, @Nullable InetAddress address) {
        DestinationCredentials known = destinations.get(origin);
        DestinationCredentials.AtAddress here = known == null ? null : known.at(address);
        return here == null ? look(origin, address) : here;
    }

    private synchronized DestinationCredentials.AtAddress look(Destination origin, @Nullable InetAddress address) {
        if (known == KNOWN) {
            forgetKnown();
        }
        known++;
        return destinations
                .computeIfAbsent(origin, DestinationCredentials::new)
                .look(address, values, set -> sets.computeIfAbsent(set, first -> first));
    }

    private synchronized void note(Destination origin, @Nullable InetAddress address, String stage, Credential secret) {
        Credential before = current.put(new Slot(stage, secret.name(), secret.place()), secret);
        if (before != null && !before.equals(secret)) {
            superseded.put(before, nanoTime.getAsLong());
            if (CarriedCredentials.derived(before)) {
                derived.add(before);
                forgetEldest();
            }
        }
        if (deleted.test(secret.name())) {
            superseded.putIfAbsent(secret, nanoTime.getAsLong()); // it was on its way when it was deleted
        } else {
            superseded.remove(secret);
        }
        derived.remove(secret);
        SentPlaces sent = values.computeIfAbsent(secret, first -> new SentPlaces(stage));
        sent.add(secret.reach());
        sent.add(Sites.of(origin.host()), address);
        changed();
    }

    private void changed() {
        forgetKnown();
        none = values.isEmpty();
    }

    private void forgetKnown() {
        destinations = new ConcurrentHashMap<>();
        sets.clear();
        known = 0;
    }

    private void forgetEldest() {
        int bytes = derived.stream().mapToInt(Credential::length).sum();
        int most = derived.size();
        Set<Credential> gone = new HashSet<>();
        for (Credential eldest : derived) {
            if (most <= DERIVED && bytes <= DERIVED_BYTES) {
                break;
            }
            gone.add(eldest);
            bytes -= eldest.length();
            most--;
        }
        remove(gone);
    }

    /** Whether this is the first value from its place, or equal to the last one. */
    synchronized boolean recurs(String stage, Credential secret) {
        if (lasts.size() >= SLOTS) {
            lasts.clear();
        }
        Credential before = lasts.put(new Slot(stage, secret.name(), secret.place()), secret);
        return before == null || before.equals(secret);
    }

    /**
     * Values whose configuration is gone can no longer be superseded: they expire from now on.
     *
     * @param stages the transforms that remain
     * @param removed the names of the secrets that do not
     */
    synchronized void retain(Set<String> stages, Set<String> removed) {
        current.forEach((slot, secret) -> {
            if (stages.contains(slot.stage()) && !removed.contains(slot.name()) && !deleted.test(slot.name())) {
                superseded.remove(secret);
            } else {
                superseded.putIfAbsent(secret, nanoTime.getAsLong());
            }
        });
    }

    /** The values of these secrets expire from now on. */
    synchronized void supersede(Set<String> names) {
        current.forEach((slot, secret) -> {
            if (names.contains(slot.name())) {
                superseded.putIfAbsent(secret, nanoTime.getAsLong());
            }
        });
    }

    /** Whether no value is searched for. */
    boolean isEmpty() {
        return none;
    }

    /** The names of the latest values that are still searched for. */
    synchronized Set<String> names() {
        Set<String> names = new HashSet<>();
        current.keySet().forEach(slot -> names.add(slot.name()));
        return names;
    }

    /** Forgets values that were superseded longer ago than this, and returns them. */
    synchronized Set<Credential> expire(long nanos) {
        long now = nanoTime.getAsLong();
        Set<Credential> gone = new HashSet<>();
        superseded.forEach((secret, since) -> {
            if (now - since >= nanos) {
                gone.add(secret);
            }
        });
        remove(gone);
        return gone;
    }

    /** Forgets at once the values that this predicate accepts, given transform and value. */
    synchronized void forget(BiPredicate<String, Credential> unwanted) {
        Set<Credential> gone = new HashSet<>();
        current.forEach((slot, secret) -> {
            if (unwanted.test(slot.stage(), secret)) {
                gone.add(secret);
            }
        });
        values.forEach((secret, sent) -> {
            if (unwanted.test(sent.stage(), secret)) {
                gone.add(secret);
            }
        });
        remove(gone);
    }

    private void remove(Set<Credential> gone) {
        if (gone.isEmpty()) {
            return;
        }
        superseded.keySet().removeAll(gone);
        derived.removeAll(gone);
        current.values().removeAll(gone);
        lasts.values().removeAll(gone);
        values.keySet().removeAll(gone);
        changed();
    }

    @Override
    public String toString() {
        return "SentCredentials[" + destinations.size() + "]";
    }
}
