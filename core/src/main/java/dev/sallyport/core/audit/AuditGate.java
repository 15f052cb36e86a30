package dev.sallyport.core.audit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sallyport.core.audit.Waiters.Waiter;
import dev.sallyport.core.audit.WaitingShares.Line;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits as many exchanges as there is room for their records. A slot is taken before an exchange begins and returned
 * when its record has been written. No client takes all of them: each has a {@link ClientShare}. Also limits captured
 * bytes. Thread-safe, never blocks.
 */
public final class AuditGate {

    private final int slots;
    private final AtomicInteger free;
    private final AtomicInteger weight = new AtomicInteger();
    private final CaptureBudget captures;
    private final LongAdder waits = new LongAdder();
    private final AtomicInteger holds = new AtomicInteger();
    private volatile boolean ending;

    /** Whoever waits to begin something. Not looked at while exchanges are held back, of which there may be many. */
    private final WaitingShares waiters = new WaitingShares();

    /** Records of what has ended, which wait for a slot outside of all shares. */
    private final Waiters records = new Waiters();

    private final UnbegunRecords unbegun;

    /** What holds organizations back now, so that it is kept meanwhile. */
    private final Map<String, ShareHold> holding = new ConcurrentHashMap<>(0);

    /** Shares are kept as long as a connection or an exchange of the client references them. */
    private final Cache<ShareOwner, ClientShare> shares =
            Caffeine.newBuilder().executor(Runnable::run).weakValues().build();

    /** By organization; kept as long as one of its shares. */
    private final Cache<String, ShareHold> ofOrganizations =
            Caffeine.newBuilder().executor(Runnable::run).weakValues().build();

    /**
     * Makes a gate.
     *
     * @param slots how many records may be unwritten at once
     * @param captureBytes how many captured bytes may be unwritten at once
     */
    public AuditGate(int slots, long captureBytes) {
        if (slots < 1) {
            throw new IllegalArgumentException("slots: " + slots + " (expected: at least 1)");
        }
        this.slots = slots;
        this.free = new AtomicInteger(slots);
        this.captures = new CaptureBudget(captureBytes);
        this.unbegun = new UnbegunRecords(this);
    }

    /**
     * The share of a client; the same object as long as it is referenced.
     *
     * @param organization whose workload it is: all that is an organization's has one share, wherever it comes from. Empty
     *     for none: then the workload has a share at each address
     */
    public ClientShare share(InetAddress address, String workload, String organization) {
        return organization.isEmpty() ? shareAt(address, workload, "") : share(ShareOwner.of(organization));
    }

    /**
     * As {@link #share(InetAddress, String, String)}, of callers who are counted by address, whosever they are.
     *
     * @param organization with which they are held back; empty for none
     */
    public ClientShare shareAt(InetAddress address, String workload, String organization) {
        return share(ShareOwner.at(address, workload, organization));
    }

    private ClientShare share(ShareOwner of) {
        return shares.get(
                of, owner -> new ClientShare(owner.organization().isEmpty() ? null : holdOf(owner.organization())));
    }

    private ShareHold holdOf(String organization) {
        return ofOrganizations.get(organization, any -> new ShareHold());
    }

    /**
     * Lets no exchange begin from now on, however many slots there are. What has already begun still gets its slots.
     *
     * @return ends it; has no effect when it is run again
     */
    public Runnable hold() {
        holds.incrementAndGet();
        AtomicBoolean held = new AtomicBoolean(true);
        return () -> {
            if (held.compareAndSet(true, false) && holds.decrementAndGet() == 0) {
                wake();
            }
        };
    }

    /**
     * As {@link #hold()}, for what is an organization's, its callers of no workload included; others go on.
     *
     * @param organization not empty
     * @return ends it; has no effect when it is run again
     */
    public Runnable hold(String organization) {
        if (organization.isEmpty()) {
            throw new IllegalArgumentException("no organization (expected: one)");
        }
        ShareHold hold = holding.compute(organization, (same, present) -> {
            ShareHold its = present != null ? present : holdOf(organization);
            its.begin();
            return its;
        });
        AtomicBoolean held = new AtomicBoolean(true);
        return () -> {
            if (held.compareAndSet(true, false)) {
                holding.compute(organization, (same, its) -> hold.end() ? null : its);
                if (!hold.isOn()) {
                    letGo(hold);
                    wake();
                }
            }
        };
    }

    private boolean isHeld() {
        return holds.get() > 0 && !ending;
    }

    /** What holds a share back; null for nothing. */
    private @Nullable ShareHold holdOf(ClientShare share) {
        return ending ? null : share.hold();
    }

    /** Who was held back waits like others again, and is looked at. */
    private void letGo(ShareHold hold) {
        Queue<Line> heldBack = hold.heldBack();
        for (Line line = heldBack.poll(); line != null; line = heldBack.poll()) {
            waiters.addAgain(line);
        }
    }

    /** Nothing is held back any more: whoever still waits learns that its connection is gone. */
    public void end() {
        ending = true;
        holding.values().forEach(this::letGo);
        wake();
    }

    /** Takes a slot outside of all shares, for a record of what has already ended. Null when there is none. */
    public @Nullable AuditSlot tryAcquire() {
        return take() ? new AuditSlot(this, null, false) : null;
    }

    /** Takes a slot out of a share; null when there is none, or the share is used up. */
    public @Nullable AuditSlot tryAcquire(ClientShare share) {
        if (isHeld() || holdOf(share) != null || !share.admits(free.get()) || !take()) {
            return null;
        }
        share.taken(1, false);
        return new AuditSlot(this, share, false);
    }

    /**
     * Takes a slot beside a share, whatever is held back, for a record of what ended before it began. Null when there is none,
     * or the client has as many of them as it may.
     */
    public @Nullable AuditSlot tryAcquireUnbegun(ClientShare share) {
        if (!unbegun.admits(share) || !take()) {
            return null;
        }
        share.taken(1, true);
        return new AuditSlot(this, share, true);
    }

    /** Runs the task once it is worth asking again for such a slot. It may have to wait again. */
    public void whenUnbegunAvailable(ClientShare share, Executor executor, Runnable task) {
        waits.increment();
        unbegun.await(share, executor, task);
    }

    /**
     * Runs the task once it is worth asking again: when there is a slot that it may have. Others are woken, too: the
     * task asks, and may have to wait again.
     *
     * @param share the share that the slot is taken from; null for a record outside of all shares
     */
    public void whenAvailable(@Nullable ClientShare share, Executor executor, Runnable task) {
        whenAvailable(share, executor, task, () -> true);
    }

    /**
     * As {@link #whenAvailable(ClientShare, Executor, Runnable)}, for who may cease to want a slot.
     *
     * @param wanted whether the task has to be run; any thread. Once it says no, it may be forgotten
     */
    public void whenAvailable(@Nullable ClientShare share, Executor executor, Runnable task, BooleanSupplier wanted) {
        waits.increment();
        Waiter waiter = new Waiter(executor, task, wanted);
        if (share == null) {
            records.add(waiter);
        } else {
            waiters.add(share.line(), waiter);
        }
        // A slot may have become free between the caller's attempt and the line above.
        wake();
    }

    /** Whether anything waits for a slot; who is held back with an organization does not. */
    public boolean isWaitedFor() {
        return !waiters.isEmpty() || !records.isEmpty();
    }

    /** Whether anything waits that is served without a hold's end: as {@link #isWaitedFor()}, and records of what never began. */
    public boolean hasUnwritten() {
        return isWaitedFor() || unbegun.waiting() > 0;
    }

    /** How often something had to wait for a slot so far. */
    public long waits() {
        return waits.sum();
    }

    /** How many wait for a slot now, those included who are held back. */
    public int waiting() {
        Set<Line> lines = new HashSet<>();
        waiters.forEach(lines::add);
        holding.values().forEach(hold -> lines.addAll(hold.heldBack()));
        return lines.stream().mapToInt(Line::size).sum() + records.size() + unbegun.waiting();
    }

    /** The captured bytes that are held now. */
    public long captured() {
        return captures.taken();
    }

    /** How many captured bytes may be held at once. */
    public long captureCapacity() {
        return captures.limit();
    }

    /** The number of records that have slots. */
    public int records() {
        return slots - free.get() - weight.get();
    }

    /** The number of free slots; negative when long records take more than there are. */
    public int available() {
        return free.get();
    }

    /** The number of slots. */
    public int capacity() {
        return slots;
    }

    /** The room for what exchanges capture. */
    CaptureBudget captures() {
        return captures;
    }

    /** A record that waits to be written is so long that it takes this many slots more, free or not. */
    void weigh(@Nullable ClientShare share, boolean ofUnbegun, int more) {
        if (share != null) {
            share.taken(more, ofUnbegun);
        }
        weight.addAndGet(more);
        free.addAndGet(-more);
    }

    /** The record has been written; its own slot follows. */
    void unweigh(@Nullable ClientShare share, boolean ofUnbegun, int more) {
        if (share != null) {
            share.taken(-more, ofUnbegun);
        }
        free.addAndGet(more);
        weight.addAndGet(-more);
    }

    /** A slot has been returned. */
    void returned(@Nullable ClientShare share, boolean ofUnbegun) {
        if (share != null) {
            share.taken(-1, ofUnbegun);
        }
        free.incrementAndGet();
        if (ofUnbegun && share != null) {
            unbegun.returned(share);
        }
        if (isWaitedFor()) {
            wake();
        }
    }

    private boolean take() {
        int now = free.get();
        while (now > 0) {
            int seen = free.compareAndExchange(now, now - 1);
            if (seen == now) {
                return true;
            }
            now = seen;
        }
        return false;
    }

    /** Wakes as many waiters as there are slots: first the records of what has ended, then one of each share in turn. */
    private void wake() {
        int room = free.get();
        Waiter record = room > 0 ? records.poll() : null;
        while (record != null) {
            run(record);
            room--;
            record = room > 0 ? records.poll() : null;
        }
        int before = 0;
        while (room > 0 && room != before && !isHeld()) {
            before = room;
            room = wakeOneOfEach(room);
        }
    }

    /**
     * Wakes one waiter of each share that is not used up. A share that is held back is put aside, so that what others return
     * need not look at it.
     *
     * @return the room that is left
     */
    private int wakeOneOfEach(int room) {
        int left = room;
        Iterator<Line> inTurn = waiters.iterator();
        while (left > 0 && inTurn.hasNext()) {
            Line line = inTurn.next();
            ShareHold hold = holdOf(line.share());
            if (hold != null) {
                waiters.putAside(inTurn);
                hold.heldBack().add(line);
                if (!hold.isOn() || ending) { // whoever ended the hold may not have seen this one
                    letGo(hold);
                    inTurn = waiters.iterator();
                }
            } else if (line.share().admits(left)) {
                Waiter next = line.poll();
                boolean more = waiters.toTheEnd(line, inTurn);
                if (next != null) {
                    run(next); // which looks at the others again, whom somebody may have missed meanwhile
                    left--;
                } else if (more) {
                    inTurn = waiters.iterator(); // whoever has joined may have missed the line
                }
            }
        }
        return left;
    }

    void run(Waiter waiter) {
        try {
            waiter.executor().execute(() -> {
                waiter.task().run();
                if (isWaitedFor()) {
                    wake(); // A waiter that no longer wants a slot leaves it to the next one.
                }
            });
        } catch (RejectedExecutionException e) {
            // Its loop is gone, and so is the waiter.
        }
    }
}
