package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.ResponseDecision;
import org.jspecify.annotations.Nullable;

/**
 * Runs an interim head through the response steps. Edits of the head are applied; any other decision, or a failure,
 * drops the head, which is permitted (RFC 9110, 15.2), and the exchange continues. Confined to the exchange's loop.
 *
 */
public final class InterimResponseRun extends ResponsePhaseRun {

    private final InterimCallbacks host;

    InterimResponseRun(
            ResponseSteps steps,
            InterimCallbacks host,
            BlockingStepExecutor blocking,
            PipelineSettings settings,
            RunningTransform mark) {
        super(steps, host, blocking, settings, mark);
        this.host = host;
    }

    @Override
    boolean settle(Stage stage, @Nullable ResponseDecision decision) {
        try {
            checkInTime(stage);
            if (!(decision instanceof ResponseDecision.Continue next)) {
                throw StageException.broken("an interim response can only be passed on");
            }
            for (Edit edit : next.edits().list()) {
                grow(edit);
                if (!HeadEditor.apply(stage, edit, host.head())) {
                    throw StageException.broken("an interim response has a head only");
                }
            }
            return next("allow");
        } catch (Throwable failure) {
            return fault(stage, failure);
        }
    }

    @Override
    void passed() {
        host.pass();
    }

    @Override
    void failed(Stage stage, StageException fault) {
        host.drop();
    }

    @Override
    void failed(Stage stage, BodyFailure failure) {
        throw bodyless();
    }

    @Override
    MessageBody messageBody() {
        throw bodyless();
    }

    /** An interim head is passed on at once, or dropped. */
    @Override
    boolean mayGrow(long bytes) {
        return true;
    }

    @Override
    void dropBodyEdits() {
        // There are none.
    }

    private static IllegalStateException bodyless() {
        return new IllegalStateException("an interim response has no body");
    }
}
