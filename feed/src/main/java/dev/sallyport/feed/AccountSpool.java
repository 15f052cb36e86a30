package dev.sallyport.feed;

import dev.sallyport.core.AuditTaps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spool of a proxy that accounts share. Events of most accounts wait in one spool together; an account of which many wait
 * there has its next ones in a lane, a spool of its own, until that is empty. Batches come from all of these in turn, every
 * other one from that of most accounts: one account with very many events does not keep those of others waiting.
 *
 * <p>An account has room for as much as is left for others, but at least a little. When that is full but for a twentieth, no
 * exchange of its workloads begins any more, and those of others go on; what is under way still adds its events.
 */
final class AccountSpool implements EventSpool {

    /** Accounts that have a lane at a time: those that are noisy beyond it wait with the others. */
    static final int LANES = 32;

    /** What an account may have waiting among others, in bytes. */
    static final long AMONG_OTHERS = 64 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(AccountSpool.class);

    /** What an account may have in any case, in bytes; of a small spool, a part of it. */
    private static final long LEAST = 128 << 10;

    private static final long LEAST_PART = 8;

    /** In percent: of its room, when an account is held back and when it is not any more; of all, what they may fill. */
    private static final long FULL = 95;

    private static final long ROOM = 90;
    private static final long ALL = 100;

    /** While others wait, batches of most accounts that are not whole come no faster than this. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Spools spools;
    private final AuditTaps taps;
    private final long capacity;
    private final Lane common;
    private final List<Lane> lanes = new ArrayList<>();
    private final Map<String, Share> shares = new HashMap<>();
    private final Set<Share> held = new HashSet<>();
    private long toldAt = System.nanoTime() - REMINDER_NANOS;

    // Of the thread that delivers.
    private Lane current;
    private boolean onItsWay;
    private boolean commonIsNext = true;
    private boolean commonWasWhole = true;
    private long commonAt = System.nanoTime();
    private int turn;

    /** Where events wait; each spool continues what it was. */
    interface Spools {

        /** Those of most accounts. */
        EventSpool common() throws IOException;

        /** Those of one account, and later of another. */
        EventSpool lane(int number) throws IOException;

        /** How many lanes were made before. */
        int present();
    }

    private static final class Lane {

        private final EventSpool spool;

        /** Whose events are in it; null while it is empty. */
        private @Nullable Share share;

        Lane(EventSpool spool) {
            this.spool = spool;
        }
    }

    /** What waits of an account. */
    private static final class Share {

        private final String account;
        private long amongOthers;
        private @Nullable Lane lane;
        private @Nullable Runnable hold;

        Share(String account) {
            this.account = account;
        }

        long bytes() {
            Lane own = lane;
            return amongOthers + (own == null ? 0 : own.spool.bytes());
        }
    }

    private AccountSpool(Spools spools, AuditTaps taps, long capacity) throws IOException {
        this.spools = spools;
        this.taps = taps;
        this.capacity = capacity;
        this.common = new Lane(spools.common());
        this.current = common;
    }

    /**
     * Opens all of them.
     *
     * @param taps holds accounts back
     * @param capacity in bytes, of all together
     */
    static AccountSpool open(Spools spools, AuditTaps taps, long capacity) throws IOException {
        AccountSpool all = new AccountSpool(spools, taps, capacity);
        try {
            for (int i = 0; i < Math.min(LANES, spools.present()); i++) {
                all.resume(i);
            }
            return all;
        } catch (IOException | RuntimeException e) {
            all.close();
            throw e;
        }
    }

    private void resume(int number) throws IOException {
        Lane lane = new Lane(spools.lane(number));
        lanes.add(lane);
        Batch first = lane.spool.next(1);
        if (first != null) {
            String account = EventText.account(first.events().getFirst());
            Share share = shares.computeIfAbsent(account, Share::new);
            lane.share = share.lane == null ? share : new Share(account);
            lane.share.lane = lane;
        }
    }

    @Override
    public void append(long millis, byte[] event) throws IOException {
        append(EventText.account(event), millis, event);
    }

    @Override
    public synchronized void append(String account, long millis, byte[] event) throws IOException {
        long size = size(event);
        if (size <= capacity && bytes() + size > capacity) {
            throw new SpoolFullException(capacity);
        }
        Share share = shares.computeIfAbsent(account, Share::new);
        Lane into = lane(share, size);
        into.spool.append(millis, event);
        if (into == common) {
            share.amongOthers += size;
        }
        settle(share);
    }

    private static long size(byte[] event) {
        return (long) Segment.OVERHEAD + event.length;
    }

    private Lane lane(Share share, long size) {
        Lane own = share.lane;
        if (own == null && share.amongOthers + size > AMONG_OTHERS) {
            own = free();
            if (own != null) {
                own.share = share;
                share.lane = own;
            }
        }
        return own == null ? common : own;
    }

    private @Nullable Lane free() {
        for (Lane lane : lanes) {
            if (lane.share == null) {
                return lane;
            }
        }
        if (lanes.size() == LANES) {
            return null;
        }
        try {
            Lane made = new Lane(spools.lane(lanes.size()));
            lanes.add(made);
            return made;
        } catch (IOException e) {
            remind("no other place can be made for events of one account: {}", e.toString());
            return null;
        }
    }

    private void remind(String text, Object... arguments) {
        long now = System.nanoTime();
        if (now - toldAt >= REMINDER_NANOS) {
            LOG.error(text, arguments);
            toldAt = now;
        }
    }

    /** Lets exchanges of an account begin or not, by the room that there is; forgets one of which nothing waits. */
    private void settle(Share share) {
        long used = share.bytes();
        long others = bytes() - used;
        long room = Math.max(Math.min(LEAST, capacity / LEAST_PART), (capacity / ALL * ROOM - others) / 2);
        Runnable release = share.hold;
        if (release == null && used >= room / ALL * FULL) {
            remind(
                    "the events of {} that wait for the control plane take {} bytes: no request of it is taken until there is room",
                    share.account,
                    used);
            share.hold = taps.hold(share.account);
            held.add(share);
        } else if (release != null && used < room / ALL * ROOM) {
            share.hold = null;
            held.remove(share);
            release.run();
        }
        if (used == 0 && share.lane == null && share.hold == null) {
            shares.remove(share.account, share);
        }
    }

    @Override
    public synchronized void flush() throws IOException {
        common.spool.flush();
        for (Lane lane : lanes) {
            lane.spool.flush();
        }
    }

    /** That which is on its way again, until it is delivered: what is refused of it is found by halves. */
    @Override
    public @Nullable Batch next(int most) throws IOException {
        for (Lane lane : order()) {
            Batch batch = lane.spool.next(most);
            if (batch != null) {
                current = lane;
                onItsWay = true;
                commonWasWhole = lane == common ? batch.events().size() == most : commonWasWhole;
                return batch;
            }
        }
        onItsWay = false;
        return null;
    }

    private synchronized List<Lane> order() {
        List<Lane> order = new ArrayList<>();
        if (onItsWay) {
            order.add(current);
        }
        List<Lane> noisy = new ArrayList<>(lanes);
        Collections.rotate(noisy, -turn);
        noisy.removeIf(lane -> lane.spool.bytes() == 0);
        boolean rested = commonWasWhole || System.nanoTime() - commonAt >= PAUSE_NANOS;
        if (commonIsNext && (noisy.isEmpty() || rested)) {
            order.add(common);
        }
        order.addAll(noisy);
        order.add(common);
        return order;
    }

    @Override
    public void delivered(Batch batch) {
        onItsWay = false;
        current.spool.delivered(batch);
        commonIsNext = current != common;
        if (current == common) {
            commonAt = System.nanoTime();
        }
        synchronized (this) {
            if (current == common) {
                batch.events().forEach(this::goneFromCommon);
            } else {
                turn = (lanes.indexOf(current) + 1) % lanes.size();
                release(current);
            }
            List.copyOf(held).forEach(this::settle);
        }
    }

    /** Those that an earlier process has put there are not counted. */
    private void goneFromCommon(byte[] event) {
        Share share = shares.get(EventText.account(event));
        if (share != null) {
            share.amongOthers = Math.max(0, share.amongOthers - size(event));
            settle(share);
        }
    }

    private void release(Lane lane) {
        Share share = lane.share;
        if (share != null && lane.spool.bytes() == 0) {
            lane.share = null;
            share.lane = null;
            settle(share);
        }
    }

    /** Whether others than the last batch is of have events. */
    @Override
    public synchronized boolean isBehind() {
        return lanes.stream().anyMatch(lane -> lane != current && lane.spool.bytes() > 0);
    }

    @Override
    public void beginEpoch() throws IOException {
        current.spool.beginEpoch();
    }

    @Override
    public String epoch() {
        return current.spool.epoch();
    }

    @Override
    public long end(String epoch) {
        return current.spool.end(epoch);
    }

    @Override
    public synchronized long bytes() {
        long all = common.spool.bytes();
        for (Lane lane : lanes) {
            all += lane.spool.bytes();
        }
        return all;
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public boolean isDurable() {
        return common.spool.isDurable();
    }

    @Override
    public synchronized void clear() {
        common.spool.clear();
        lanes.forEach(lane -> lane.spool.clear());
        List.copyOf(shares.values()).forEach(share -> {
            share.amongOthers = 0;
            settle(share);
        });
        lanes.forEach(this::release);
    }

    @Override
    public synchronized void close() throws IOException {
        for (Lane lane : lanes) {
            lane.spool.close();
        }
        common.spool.close();
    }
}
