package dev.sallyport.control.api;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.sse.Event;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * An answer of server-sent events, for one subscriber: hands over in order, as many as are asked for, and tells once that
 * it has ended. Nobody subscribes to an answer whose client went away before it began. Thread-safe.
 */
abstract class EventAnswer implements Publisher<Event<String>>, Subscription {

    private final Queue<Event<String>> waiting = new ArrayDeque<>();
    private final Object turn = new Object();
    private Runnable closed = () -> {};
    private @Nullable Subscriber<? super Event<String>> subscriber;
    private long demand;
    private boolean ending;
    private boolean over;

    /** The answer with its type: the field Accept has no say in it. */
    final HttpResponse<Publisher<Event<String>>> toResponse() {
        return HttpResponse.<Publisher<Event<String>>>ok(this).contentType(MediaType.TEXT_EVENT_STREAM_TYPE);
    }

    /** Runs this once, when the answer has ended for whatever reason. */
    final void onClose(Runnable action) {
        boolean late;
        synchronized (turn) {
            closed = action;
            late = over;
        }
        if (late) {
            action.run();
        }
    }

    /** Adds an event. Where so many wait already, they are dropped and the answer ends. */
    final void offer(Event<String> event, int most) {
        synchronized (turn) {
            if (ending || over) {
                return;
            }
            if (waiting.size() < most) {
                waiting.add(event);
            } else {
                waiting.clear();
                ending = true;
            }
        }
        drain();
    }

    /** Adds an event unless another one waits. */
    final void offerIfIdle(Event<String> event) {
        synchronized (turn) {
            if (ending || over || !waiting.isEmpty()) {
                return;
            }
            waiting.add(event);
        }
        drain();
    }

    /** How many events wait. */
    final int waitingCount() {
        synchronized (turn) {
            return waiting.size();
        }
    }

    /** Ends the answer, after what waits or without it. */
    final void finish(boolean withoutWhatWaits) {
        synchronized (turn) {
            if (withoutWhatWaits) {
                waiting.clear();
            }
            ending = true;
        }
        drain();
    }

    /** There is a subscriber. */
    void begun() {}

    /** The client takes more. */
    void demanded() {}

    @Override
    public final void subscribe(Subscriber<? super Event<String>> only) {
        only.onSubscribe(this);
        boolean late;
        synchronized (turn) {
            subscriber = only;
            late = over;
        }
        if (late) {
            only.onComplete();
        } else {
            begun();
            drain();
        }
    }

    @Override
    public final void request(long count) {
        synchronized (turn) {
            demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
        }
        drain();
        demanded();
    }

    @Override
    public final void cancel() {
        Runnable told;
        synchronized (turn) {
            if (over) {
                return;
            }
            over = true;
            waiting.clear();
            told = closed;
        }
        told.run();
    }

    /** The lock is held, and it is the same for all that call the subscriber. */
    private void drain() {
        Runnable told;
        synchronized (turn) {
            Subscriber<? super Event<String>> to = subscriber;
            while (to != null && !over && demand > 0 && !waiting.isEmpty()) {
                demand--;
                to.onNext(waiting.remove());
            }
            if (over || !ending || (to != null && !waiting.isEmpty())) {
                return;
            }
            over = true;
            waiting.clear();
            told = closed;
            if (to != null) {
                to.onComplete();
            }
        }
        told.run();
    }
}
