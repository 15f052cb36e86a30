package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodyLimits;
import dev.sallyport.core.body.BodySink;
import dev.sallyport.core.body.Credit;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.RequestCallbacks;
import dev.sallyport.core.pipeline.RequestRun;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.StubResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A request of which only the host is known, judged by the whole request pipeline of one generation, under a lease that
 * ends with the verdict. Confined to one event loop.
 */
final class HostOnlyRequest implements RequestCallbacks {

    private static final Credit NO_CREDIT = bytes -> {};
    private static final HeaderBlock NO_TRAILERS = new HeaderBlock(1);
    private static final Refusal NO_STUB = EngineVerdicts.STUB_NOT_POSSIBLE;

    private final ExchangeServices services;
    private final Generation generation;
    private final ExchangeFacts facts;
    private final MutableAuditRecord record;
    private final Verdict verdict;
    private final RequestMessage head = new RequestMessage("", "", null, new HeaderBlock(1), 0);
    private final RequestRun run;

    private @Nullable MessageBody body;
    private boolean bodyWritten;
    private boolean over;

    /** Receives the verdict: one call, on the loop, and none after {@link #cancel}. */
    interface Verdict {

        /** @param edited whether transforms edited the request, which cannot be edited */
        void allowed(boolean edited);

        /** The connection must not continue. */
        void denied(Denial denial);
    }

    /** @param record receives the notes of the transforms */
    HostOnlyRequest(
            ExchangeServices services,
            Generation generation,
            ExchangeFacts facts,
            MutableAuditRecord record,
            Verdict verdict) {
        this.services = services;
        this.generation = generation;
        this.facts = facts;
        this.record = record;
        this.verdict = verdict;
        generation.acquire(facts.loop());
        this.run = generation.request(this);
    }

    void start() {
        run.start();
    }

    /** Releases what the verdict needed; none follows. Idempotent. */
    void cancel() {
        if (over) {
            return;
        }
        over = true;
        run.cancel();
        if (body != null) {
            body.discard();
            body = null;
        }
        generation.release(facts.loop());
    }

    // What the run of the request asks for.

    @Override
    public ExchangeFacts facts() {
        return facts;
    }

    @Override
    public RequestMessage head() {
        return head;
    }

    @Override
    public boolean mayGrow(long bytes) {
        return true;
    }

    /** Empty and complete. */
    @Override
    public MessageBody body() {
        MessageBody present = body;
        if (present == null) {
            present = new MessageBody(
                    ByteBufAllocator.DEFAULT,
                    services.budget(),
                    BodyLimits.request(services.settings().get().caps().request()),
                    head.headers(),
                    0,
                    NO_CREDIT,
                    (position, why) -> {});
            body = present;
            present.end(NO_TRAILERS);
        }
        return present;
    }

    @Override
    public MutableAuditRecord audit() {
        return record;
    }

    @Override
    public void bodyDemanded() {}

    /** No credential leaves: what is passed through is not edited. */
    @Override
    public void requireNear(Stage stage, Runnable next) {
        next.run();
    }

    // Its verdicts.

    @Override
    public void forward() {
        MessageBody present = body;
        if (present != null && !present.idle()) {
            present.release(new Nowhere());
        }
        if (!over) {
            boolean edited = edited();
            cancel();
            verdict.allowed(edited);
        }
    }

    private boolean edited() {
        return bodyWritten
                || !head.method().isEmpty()
                || !head.path().isEmpty()
                || !head.query().isEmpty()
                || head.headers().size() > 0
                || (body != null && body.altered());
    }

    @Override
    public void rejected(Stage stage, Decision.Reject reject) {
        deny(new Denial(Refusal.by(reject), stage.name(), null));
    }

    /** Refuses: a stub cannot be sent to a client that speaks TLS with the origin. */
    @Override
    public void responded(Stage stage, StubResponse response) {
        deny(new Denial(NO_STUB, stage.name(), NO_STUB.code() + ": " + NO_STUB.detail()));
    }

    @Override
    public void failed(Stage stage, int status, String code, String detail, String error) {
        deny(new Denial(
                Refusal.failed(status, code, detail),
                Refusal.isRejection(status) ? stage.name() : null,
                code + ": " + stage.name() + ": " + error));
    }

    private void deny(Denial denial) {
        if (!over) {
            cancel();
            verdict.denied(denial);
        }
    }

    /** Ends the empty body for the rewriters and observers that wait for its end. */
    private final class Nowhere implements BodySink {

        @Override
        public void begin(long length) {}

        @Override
        public void data(ByteBuf data) {
            bodyWritten = true;
            data.release();
        }

        @Override
        public void end(HeaderBlock trailers) {}

        @Override
        public void failed(BodyFailure failure) {
            Stage stage = run.bodyFailed(failure);
            if (stage != null && failure.reject() != null) {
                rejected(stage, failure.reject());
                return;
            }
            Refusal refusal = Refusal.ofRequestBody(failure);
            deny(new Denial(refusal, null, refusal.error(failure.detail())));
        }

        @Override
        public boolean isWritable() {
            return true;
        }
    }
}
