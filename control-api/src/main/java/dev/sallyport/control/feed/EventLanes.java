package dev.sallyport.control.feed;

import dev.sallyport.control.audit.EgressBatch;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.core.AuditTaps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events that wait for the database, those of each organization in a lane of its own. An organization has room for as
 * much as is left for others, but at least for some small events. When its room is full but for a twentieth, no exchange of
 * its workloads begins any more; what is under way still adds its events. Those that come beyond its room have only as many
 * replacements as a small event has, and then none: for these there is room beside what others have. When all lanes
 * together are full but for a twentieth, no exchange begins at all. Thread-safe; nothing blocks.
 */
final class EventLanes {

    private static final Logger LOG = LoggerFactory.getLogger(EventLanes.class);

    /** An organization whose events take so many quarters of its room has no replacements in those that follow. */
    private static final int BARE = 5;

    private static final int QUARTERS = 4;

    /** The most organizations whose events are stored together. */
    private static final int TOGETHER = 50;

    /** What is stored together, in bytes of memory. */
    private static final long PORTION_BYTES = 2L << 20;

    /** The log tells of what happens again and again once in this time. */
    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Of how many organizations it is known when the log told of them. */
    private static final int REMEMBERED = 1000;

    /** Stands for all organizations together. */
    private static final String EVERYBODY = "";

    private final AuditTaps taps;
    private final IntFunction<EventRoom> rooms;
    private final EventCounts counts;
    private final Map<String, EventLane> lanes = new HashMap<>();

    /** Those with events, in the order in which it is their turn. */
    private final Set<EventLane> turns = new LinkedHashSet<>();

    private final Set<EventLane> held = new LinkedHashSet<>();

    /** When the log told that an organization is held back: also of those that have no events any more. */
    private final Map<String, Long> told = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > REMEMBERED;
        }
    };

    private @Nullable Runnable hold;
    private boolean holdTold;
    private volatile boolean full;
    private long position;
    private long weight;
    private int waiting;
    private long toldOfCut;
    private @Nullable EventRoom room;

    /** @param rooms by the number of exchanges that may be under way */
    EventLanes(AuditTaps taps, IntFunction<EventRoom> rooms, EventCounts counts) {
        this.taps = taps;
        this.rooms = rooms;
        this.counts = counts;
    }

    /** How much there is, which is known when the first event comes. */
    synchronized EventRoom room() {
        EventRoom known = room;
        if (known == null) {
            known = rooms.apply(taps.slots());
            room = known;
        }
        return known;
    }

    /** Events of an organization that are to be stored. */
    record Part(EventLane lane, List<EgressBatch.Numbered> events) {}

    /** Adds an event; false when there is no room for anything. */
    synchronized boolean add(String organization, EgressFacts facts) {
        if (weight >= room().capacity()) {
            return false;
        }
        EventLane lane = lanes.computeIfAbsent(organization, EventLane::new);
        EgressFacts kept = kept(lane, facts);
        long before = lane.weight();
        // The numbers of all together: a lane that is made anew goes on after those that it had before.
        lane.add(new EgressBatch.Numbered(position, organization, kept));
        position++;
        waiting++;
        weight += lane.weight() - before;
        turns.add(lane);
        settle(lane);
        settleAll();
        return true;
    }

    private EgressFacts kept(EventLane lane, EgressFacts facts) {
        long room = room(lane);
        if (lane.weight() < room) {
            return facts;
        }
        EgressFacts less = lane.weight() < room / QUARTERS * BARE ? EventWeight.small(facts) : EventWeight.bare(facts);
        if (less.replacements().size() < facts.replacements().size()) {
            long now = System.nanoTime();
            if (counts.cut(lane.organization()) == 1 || now - toldOfCut >= REMINDER_NANOS) {
                LOG.error(
                        "{} has no room for what its requests under way add: of an event with {} replacements the first {} are kept",
                        lane.organization(),
                        facts.replacements().size(),
                        less.replacements().size());
                toldOfCut = now;
            }
        }
        return less;
    }

    /** As much as is left; others that take more leave less. */
    private long room(EventLane lane) {
        EventRoom all = room();
        long others = weight - lane.weight();
        return Math.max(all.least(), (all.shared() - others) / 2);
    }

    private void settle(EventLane lane) {
        long room = room(lane);
        Runnable release = lane.hold;
        if (release == null && EventRoom.isFull(lane.weight(), room)) {
            lane.holdTold = tells(lane.organization());
            if (lane.holdTold) {
                LOG.error(
                        "events of {} that wait for the database take {} bytes: no request of its workloads is taken until there is room",
                        lane.organization(),
                        lane.weight());
            }
            counts.held(lane.organization());
            lane.hold = taps.hold(lane.organization());
            held.add(lane);
        } else if (release != null && EventRoom.hasRoom(lane.weight(), room)) {
            if (lane.holdTold) {
                LOG.info("there is room for events of {} again: requests are taken", lane.organization());
            }
            lane.hold = null;
            held.remove(lane);
            release.run();
        }
    }

    /** Whether the log is to tell that an organization is held back: a slow database holds it back and lets it go in turn. */
    private boolean tells(String organization) {
        long now = System.nanoTime();
        Long before = told.get(organization);
        if (before != null && now - before < REMINDER_NANOS) {
            return false;
        }
        told.remove(organization);
        told.put(organization, now);
        return true;
    }

    private void settleAll() {
        if (hold == null && EventRoom.isFull(weight, room().capacity())) {
            holdTold = tells(EVERYBODY);
            if (holdTold) {
                LOG.error(
                        "{} events of {} organizations wait for the database: no request is taken until there is room",
                        waiting,
                        turns.size());
            }
            full = true;
            counts.held(EventCounts.OTHER);
            hold = taps.hold();
        } else if (hold != null && EventRoom.hasRoom(weight, room().capacity())) {
            if (holdTold) {
                LOG.info("there is room for events again: requests are taken");
            }
            Runnable release = hold;
            hold = null;
            full = false;
            release.run();
        }
    }

    /** What is to be stored next, in one transaction; empty for nothing. */
    synchronized List<Part> next(long now) {
        List<EventLane> next = new ArrayList<>();
        for (Iterator<EventLane> inOrder = turns.iterator(); inOrder.hasNext() && next.size() < TOGETHER; ) {
            EventLane lane = inOrder.next();
            if (lane.waitNanos(now) > 0) {
                continue;
            }
            if (lane.isAlone() && !next.isEmpty()) {
                continue; // its turn is next time
            }
            next.add(lane);
            if (lane.isAlone()) {
                break;
            }
        }
        int many = Math.max(1, EventLane.PORTION / Math.max(1, next.size()));
        long bytes = PORTION_BYTES / Math.max(1, next.size());
        List<Part> parts = new ArrayList<>(next.size());
        for (EventLane lane : next) {
            turns.remove(lane);
            turns.add(lane); // behind all others
            parts.add(new Part(lane, lane.part(many, bytes)));
        }
        return parts;
    }

    /** How long until something can be tried; {@link Long#MAX_VALUE} while nothing waits. */
    synchronized long waitNanos(long now) {
        long least = Long.MAX_VALUE;
        for (EventLane lane : turns) {
            least = Math.min(least, lane.waitNanos(now));
        }
        return least;
    }

    synchronized void stored(List<Part> parts) {
        for (Part part : parts) {
            part.lane().succeeded();
            remove(part);
        }
        settleHeld();
    }

    /** Those of several organizations could not be stored together. */
    synchronized void suspect(List<Part> parts, long now) {
        parts.forEach(part -> part.lane().suspect(now));
    }

    /**
     * Those of one organization could not be stored, although the database takes others. Returns the event that is to blame,
     * once it is known: it has been left out.
     */
    synchronized EgressBatch.@Nullable Numbered failed(Part part, long now) {
        if (!part.lane().failed(part.events().size(), now)) {
            return null;
        }
        counts.lost(part.lane().organization());
        remove(part);
        settleHeld();
        return part.events().getFirst();
    }

    private void remove(Part part) {
        EventLane lane = part.lane();
        waiting -= part.events().size();
        weight -= lane.remove(part.events().size());
        settle(lane);
        if (lane.isEmpty()) {
            turns.remove(lane);
            lanes.remove(lane.organization());
        }
    }

    /** What is stored makes room for all. */
    private void settleHeld() {
        List.copyOf(held).forEach(this::settle);
        settleAll();
    }

    /** Whether there is room for events of all together. */
    boolean hasRoom() {
        return !full;
    }

    /** How many events wait. */
    synchronized int waiting() {
        return waiting;
    }

    /** When the event began that waits longest, in milliseconds since 1970; 0 for none. */
    synchronized long oldestMillis() {
        return turns.stream()
                .map(EventLane::first)
                .filter(first -> first != null)
                .mapToLong(first -> first.facts().at().toEpochMilli())
                .min()
                .orElse(0);
    }
}
