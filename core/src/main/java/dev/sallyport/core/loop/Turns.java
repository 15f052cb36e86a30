package dev.sallyport.core.loop;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares one event loop between those that have much to do on it. A pass of a loop looks at its sockets once and then
 * runs its tasks. Each {@link Turn} of a pass is limited in time and bytes, and so are all of them together; what is left
 * over is done in later passes: first for those that have used little of the loop lately, then for the others in order. The
 * former also begin where the others have used up a pass.
 * What is done on behalf of one client counts together, however many connections, streams and bodies it has: by a hash, as
 * in stochastic fairness queueing (McKenney 1990), so that nothing is kept of clients that are gone. Confined to the loop,
 * but for {@link #report}.
 */
public final class Turns {

    /** The most that anybody makes in one turn, in bytes. */
    public static final int MAX_BYTES = 256 << 10;

    /** The longest turn. Work is not interrupted, only not continued. */
    static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** All turns of a pass together, and as much again of those who used little; and what was left over of earlier ones. */
    static final long PASS_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Clients are told apart by so many places. */
    private static final int CLIENTS = 1024;

    private static final int GOLDEN = 0x9E3779B9;
    private static final int SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(CLIENTS);

    private final Executor nextPass;
    private final LongSupplier clock;
    private final ArrayDeque<Turn> light = new ArrayDeque<>();
    private final ArrayDeque<Turn> heavy = new ArrayDeque<>();
    private final @Nullable Usage[] clients = new Usage[CLIENTS];
    private volatile LongConsumer report = Turns::unreported;

    /** The outermost turn that is being taken. */
    private @Nullable Turn current;

    /** What the turns of this pass took so far. */
    private long spent;

    private boolean leftovers;
    private boolean planned;

    /**
     * The turns of one loop.
     *
     * @param nextPass runs a task in the next pass, on the loop
     * @param clock as {@link System#nanoTime}
     */
    public Turns(Executor nextPass, LongSupplier clock) {
        this.nextPass = nextPass;
        this.clock = clock;
    }

    /** The turns of this loop, which others share if it is one of {@link EventLoops}. */
    public static Turns of(EventExecutor loop) {
        return loop instanceof LeastLoadedLoopGroup.Loop shared ? shared.turns() : new Turns(loop, () -> 0);
    }

    /** Tells this receiver how long each turn took, in nanoseconds; on the loop, until the next call. Thread-safe. */
    public void report(LongConsumer receiver) {
        report = receiver;
    }

    /**
     * Makes somebody who takes turns, on behalf of nobody else yet.
     *
     * @param rest continues the work that was left over, in a turn of its own
     */
    public Turn join(Runnable rest) {
        return new Turn(this, new Usage(), rest);
    }

    /** What this client uses; a few others may share it. */
    Usage usage(Object client) {
        int place = (client.hashCode() * GOLDEN) >>> SHIFT;
        Usage known = clients[place];
        if (known == null) {
            known = new Usage();
            clients[place] = known;
        }
        return known;
    }

    private static void unreported(long nanos) {}

    long now() {
        return clock.getAsLong();
    }

    /** Whether there is time in this pass. What runs inside of another turn is limited by that. */
    boolean begin(Turn turn) {
        if (current != null) {
            return true;
        }
        if (!leftovers && spent >= PASS_NANOS && (spent >= 2 * PASS_NANOS || !turn.isLight())) {
            return false;
        }
        current = turn;
        return true;
    }

    /** Returns whether this was the outermost turn. */
    boolean end(Turn turn, long nanos) {
        if (current != turn) {
            return false;
        }
        current = null;
        spent += nanos;
        report.accept(nanos);
        return true;
    }

    void later(Turn turn) {
        (turn.isLight() ? light : heavy).add(turn);
        plan();
    }

    private void plan() {
        if (!planned) {
            planned = true;
            nextPass.execute(this::run);
        }
    }

    /** A new pass. */
    private void run() {
        planned = false;
        spent = 0;
        leftovers = true;
        try {
            resume(light);
            resume(heavy);
        } finally {
            spent = 0;
            leftovers = false;
            if (!light.isEmpty() || !heavy.isEmpty()) {
                plan();
            }
        }
    }

    /** At least one, and nobody twice: who has more to do is behind all others, and behind the sockets. */
    private void resume(ArrayDeque<Turn> waiting) {
        int left = waiting.size();
        while (left > 0) {
            left--;
            waiting.remove().resume();
            if (spent >= PASS_NANOS) {
                return;
            }
        }
    }
}
