package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.ReadCallback;
import dev.sallyport.spi.Body;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a body has been read for a step. The first of body, failure, time limit and cancellation wins.
 *
 */
final class BodyReadWait implements ReadCallback {

    private final Runnable demand;
    private final Predicate<Body> onBody;
    private final Predicate<BodyFailure> onFailure;
    private final Runnable resume;
    private final EventLoop loop;
    private final Duration limit;
    private @Nullable ScheduledFuture<?> timer;
    private boolean demanded;
    private boolean goOn;
    private boolean settled;

    /**
     * @param demand run once when the body is there, or can be read and is waited for
     * @param onBody runs the step; true when the next stage is due
     * @param onFailure ends the stage; true when the next stage is due
     * @param resume continues with the next stage when the outcome does not come at once
     */
    BodyReadWait(
            EventLoop loop,
            Duration limit,
            Runnable demand,
            Predicate<Body> onBody,
            Predicate<BodyFailure> onFailure,
            Runnable resume) {
        this.loop = loop;
        this.limit = limit;
        this.demand = demand;
        this.onBody = onBody;
        this.onFailure = onFailure;
        this.resume = resume;
    }

    @Override
    public void ready(Body body) {
        if (settle()) {
            demandOnce();
            outcome(onBody.test(body));
        }
    }

    @Override
    public void failed(BodyFailure failure) {
        if (settle()) {
            outcome(onFailure.test(failure));
        }
    }

    void cancel() {
        settle();
    }

    /** Called once after the read has begun; returns whether the outcome has already come and the next stage is due. */
    boolean settledAtOnce() {
        if (!settled) {
            demandOnce();
            timer = loop.schedule(
                    () -> failed(new BodyFailure(
                            BodyFailure.Kind.TIMEOUT,
                            -1,
                            "The body did not arrive within " + limit.toSeconds() + " s.")),
                    limit.toNanos(),
                    TimeUnit.NANOSECONDS);
        }
        return goOn;
    }

    private void demandOnce() {
        if (!demanded) {
            demanded = true;
            demand.run();
        }
    }

    private boolean settle() {
        boolean first = !settled;
        settled = true;
        if (timer != null) {
            timer.cancel(false);
        }
        return first;
    }

    private void outcome(boolean nextIsDue) {
        if (timer == null) {
            goOn = nextIsDue;
        } else if (nextIsDue) {
            resume.run();
        }
    }
}
