package dev.sallyport.core.audit;

import dev.sallyport.core.audit.Waiters.Waiter;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait to begin something, in a line for each share. How long it takes to find who is next depends on how many
 * clients wait, never on how many connections of one do. Thread-safe, never blocks.
 */
final class WaitingShares {

    /** So many lines may be there before those are left out in which nobody wants anything any more. */
    private static final int FEW = 1024;

    private final Queue<Line> lines = new ConcurrentLinkedQueue<>();

    /** About how many there are. */
    private final AtomicInteger size = new AtomicInteger();

    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile int most = FEW;

    /** Those of one share, in their order. */
    static final class Line {

        private final ClientShare share;
        private final Waiters waiters = new Waiters();

        /** Whether it is there or put aside. May be false where it is: then it is there twice for a while. */
        private final AtomicBoolean listed = new AtomicBoolean();

        Line(ClientShare share) {
            this.share = share;
        }

        ClientShare share() {
            return share;
        }

        @Nullable Waiter poll() {
            return waiters.poll();
        }

        boolean isEmpty() {
            return waiters.isEmpty();
        }

        /** Counts them. */
        int size() {
            return waiters.size();
        }
    }

    /** Has somebody wait; the line is there then, unless it is put aside. */
    void add(Line line, Waiter waiter) {
        line.waiters.add(waiter);
        list(line);
    }

    private void list(Line line) {
        if (line.listed.compareAndSet(false, true)) {
            addAgain(line);
        }
    }

    /** Adds a line that {@link #putAside} has taken. */
    void addAgain(Line line) {
        lines.add(line);
        if (size.incrementAndGet() > most && looking.compareAndSet(false, true)) {
            for (Iterator<Line> each = lines.iterator(); each.hasNext(); ) {
                Line one = each.next();
                one.waiters.forgetUnwanted();
                if (one.isEmpty()) {
                    remove(one, each);
                }
            }
            int left = lines.size();
            size.set(left);
            most = Math.max(FEW, 2 * left);
            looking.set(false);
        }
    }

    /** The lines, in the order in which their turn comes; one may come twice. */
    Iterator<Line> iterator() {
        return lines.iterator();
    }

    /** Its turn is over: others come first now, and an empty line leaves. Returns whether somebody waits in it. */
    boolean toTheEnd(Line line, Iterator<Line> at) {
        if (line.isEmpty()) {
            return remove(line, at);
        }
        takeOut(at);
        addAgain(line);
        return true;
    }

    /** Takes out an empty line. Returns whether somebody has joined it meanwhile, so that it stays. */
    private boolean remove(Line line, Iterator<Line> at) {
        takeOut(at);
        line.listed.set(false);
        if (line.isEmpty()) {
            return false;
        }
        list(line);
        return true;
    }

    /** Takes out a line in which people wait; it is not there again before {@link #addAgain}, whoever joins it. */
    void putAside(Iterator<Line> at) {
        takeOut(at);
    }

    private void takeOut(Iterator<Line> at) {
        at.remove();
        size.decrementAndGet();
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    void forEach(Consumer<Line> action) {
        lines.forEach(action);
    }
}
