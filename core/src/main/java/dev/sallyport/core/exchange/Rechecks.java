package dev.sallyport.core.exchange;

import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Principal;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges what outlives a reload by the policy in force: tunnels, WebSockets, event streams, everything else that is
 * under way. What is refused ends at once, at the latest a second later, with a record; so does what carries a secret that
 * has been deleted, in every round, whomever it concerns. Thread-safe.
 *
 * <p>Costs an exchange two links in the list of its loop. A loop takes a few hundred at a time, and fewer of those that
 * carry many credentials, so that other traffic goes on; requests that come while it is at work are joined to one.
 */
public final class Rechecks {

    /** Every caller. */
    public static final Predicate<Principal> EVERYBODY = principal -> true;

    /** No caller: only what carries a deleted secret ends. */
    public static final Predicate<Principal> NOBODY = principal -> false;

    private static final Logger LOG = LoggerFactory.getLogger(Rechecks.class);

    /** How many exchanges and credentials in them a loop looks at before it does something else. */
    private static final int AT_ONCE = 256;

    private final Pipeline pipeline;
    private final List<EventLoop> loops;
    private final UnaryOperator<Connection> callers;
    private final FastThreadLocal<OnLoop> lists = new FastThreadLocal<>() {
        @Override
        protected OnLoop initialValue() {
            return new OnLoop();
        }
    };

    /** Of a proxy in which nobody is told otherwise than before. */
    public Rechecks(Pipeline pipeline, List<EventLoop> loops) {
        this(pipeline, loops, UnaryOperator.identity());
    }

    /**
     * @param loops those on which exchanges run
     * @param callers gives a connection the caller whose it is now; called on the loops
     */
    public Rechecks(Pipeline pipeline, List<EventLoop> loops, UnaryOperator<Connection> callers) {
        this.pipeline = pipeline;
        this.loops = List.copyOf(loops);
        this.callers = callers;
    }

    /**
     * Judges anew what belongs to these callers. To be called after the policy has been replaced; returns at once.
     *
     * @param whose called on the loops
     */
    public void begin(Predicate<Principal> whose) {
        begin(whose, false);
    }

    /**
     * As above; also what belongs to callers who are told otherwise than before, because another workload takes them
     * over.
     *
     * @param selection whether that may have changed, which costs a selection for all that is under way
     */
    public void begin(Predicate<Principal> whose, boolean selection) {
        for (EventLoop loop : loops) {
            loop.execute(() -> lists.get().ask(loop, whose, selection));
        }
    }

    /** Lists what has begun, on its loop; to be removed when it ends. */
    void add(Recheckable begun) {
        lists.get().add(begun);
    }

    /** On the loop of {@link #add}. Idempotent. */
    void remove(Recheckable ended) {
        lists.get().remove(ended);
    }

    /** What is under way on one loop. */
    private final class OnLoop {

        private final ArrayDeque<Recheckable> due = new ArrayDeque<>(0);
        private @Nullable Recheckable youngest;
        private @Nullable Predicate<Principal> asked;
        private boolean selectionAsked;
        private boolean atWork;

        /** The round under way: whom it concerns, and whether callers may have been taken over. */
        private Predicate<Principal> whose = EVERYBODY;

        private boolean selection;

        void add(Recheckable begun) {
            begun.listed = true;
            begun.older = youngest;
            if (youngest != null) {
                youngest.younger = begun;
            }
            youngest = begun;
        }

        void remove(Recheckable ended) {
            if (!ended.listed) {
                return;
            }
            Recheckable before = ended.older;
            Recheckable after = ended.younger;
            if (before != null) {
                before.younger = after;
            }
            if (after == null) {
                youngest = before;
            } else {
                after.older = before;
            }
            ended.older = null;
            ended.younger = null;
            ended.listed = false;
        }

        void ask(EventLoop loop, Predicate<Principal> whose, boolean selection) {
            Predicate<Principal> before = asked;
            selectionAsked |= selection;
            asked = before == null || whose.equals(EVERYBODY)
                    ? whose
                    : before.equals(EVERYBODY) ? before : before.or(whose);
            if (!atWork) {
                work(loop);
            }
        }

        private void work(EventLoop loop) {
            atWork = true;
            try {
                if (due.isEmpty() && asked != null) {
                    beginRound(asked);
                }
                for (int left = AT_ONCE; left > 0 && !due.isEmpty(); left--) {
                    Recheckable next = due.remove();
                    if (next.listed) {
                        left -= examine(next);
                    }
                }
            } finally {
                atWork = !due.isEmpty() || asked != null;
                if (atWork) {
                    loop.execute(() -> work(loop));
                }
            }
        }

        private void beginRound(Predicate<Principal> callers) {
            whose = callers;
            selection = selectionAsked;
            asked = null;
            selectionAsked = false;
            // Backwards: what runs in a tunnel ends before the tunnel, with a record of its own.
            for (Recheckable next = youngest; next != null; next = next.older) {
                due.add(next);
            }
        }

        /**
         * A fault in one keeps no other from being judged, and it is tried once more. Returns how many credentials were looked
         * at.
         */
        private int examine(Recheckable next) {
            boolean again = next.faulty;
            next.faulty = false;
            int looks = 1;
            try {
                judge(next);
            } catch (RuntimeException | Error e) {
                fault(next, "what was under way could not be judged anew", e);
            }
            try {
                looks = next.endIfDeleted();
            } catch (RuntimeException | Error e) {
                fault(next, "what was under way could not be asked for deleted secrets", e);
            }
            next.faulty &= !again;
            if (next.faulty) {
                due.add(next);
            }
            return looks;
        }

        private void fault(Recheckable of, String what, Throwable fault) {
            of.faulty = true;
            HeapExhaustion.note(fault);
            LOG.error(what, fault);
        }

        private void judge(Recheckable next) {
            Principal before = next.told().principal();
            boolean concerned = whose.test(before);
            if (!concerned && !selection) {
                return;
            }
            Connection now = callers.apply(next.client());
            if (!concerned && !isTakenOver(before, now.principal())) {
                return;
            }
            next.told(now);
            Generation generation = pipeline.judging(now.principal());
            if (generation != null) {
                next.recheck(generation, now);
            }
        }

        private static boolean isTakenOver(Principal before, Principal now) {
            return !now.workload().equals(before.workload()) || !now.source().equals(before.source());
        }
    }
}
