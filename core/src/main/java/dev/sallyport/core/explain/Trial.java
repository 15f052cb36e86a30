package dev.sallyport.core.explain;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodyLimits;
import dev.sallyport.core.body.BodySink;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.exchange.EngineVerdicts;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.RequestCallbacks;
import dev.sallyport.core.pipeline.RequestRun;
import dev.sallyport.core.pipeline.RunWatch;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.redact.CarriedCredentials;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Visibility;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through the transforms, as an exchange would lead it, up to where it would be sent. Steps that
 * ask somebody are not run, unless the request says so. Confined to the loop.
 */
final class Trial implements RequestCallbacks, RunWatch, BodySink {

    private static final HeaderBlock NO_TRAILERS = new HeaderBlock(1);

    private final TrialServices services;
    private final ExplainRequest request;
    private final RequestMessage head;
    private final @Nullable String unlisted;
    private final ExchangeFacts facts;
    private final TrialRecord record;
    private final Consumer<Conclusion> done;
    private final RequestRun run;
    private final DialPreview preview;
    private final Set<Stage> looked = new LinkedHashSet<>();

    private @Nullable MessageBody body;
    private boolean over;

    /**
     * @param unlisted the protocol to which the request asks to switch and that no rule lists, or null
     * @param done receives the verdict, once; afterwards the trial is to be {@linkplain #close closed}
     */
    Trial(
            TrialServices services,
            Generation generation,
            ExplainRequest request,
            RequestMessage head,
            @Nullable String unlisted,
            ExchangeFacts facts,
            TrialRecord record,
            Consumer<Conclusion> done) {
        this.services = services;
        this.request = request;
        this.head = head;
        this.unlisted = unlisted;
        this.facts = facts;
        this.record = record;
        this.done = done;
        this.run = generation.request(this);
        this.preview = new DialPreview(
                services,
                request,
                facts.destination(),
                facts.connection().principal().workload());
    }

    void start() {
        if (head.length() != 0 && head.headers().contains("Content-Encoding")) {
            body(); // Knows its coding from now on, whatever transforms do to the field.
        }
        run.start();
    }

    /** Releases what it holds. */
    void close() {
        over = true;
        preview.cancel();
        run.cancel();
        if (body != null) {
            body.discard();
        }
    }

    TrialRecord record() {
        return record;
    }

    Stage asked(int index) {
        return run.asked(index);
    }

    /** The addresses that it could be sent to, as far as they were looked for. */
    DialPreview preview() {
        return preview;
    }

    /** The transforms that looked at what a record does not tell. */
    Set<Stage> looked() {
        return looked;
    }

    /** What would be done about the response. */
    List<ResponseOutcome> response() {
        return new ResponsePreview(record, facts.destination(), head).of(run.responseSteps());
    }

    /** The names of the secrets that would be removed from the response. */
    List<String> redacted() {
        CarriedCredentials carried = run.carried();
        return carried == null
                ? List.of()
                : carried.removedFromResponse(services.settings().redaction(), preview.isLoopback());
    }

    private void conclude(Conclusion conclusion) {
        if (!over) {
            over = true;
            run.cancel();
            done.accept(conclusion);
        }
    }

    private void open(Stage stage, String code, String detail) {
        record.mark("undecidable", run::asked, stage);
        conclude(Conclusion.open(code, detail, stage));
    }

    /** A verdict of a transform, unless it rests on what is not known, or on a call that was not made. */
    private void judged(Stage stage, Conclusion verdict) {
        if (looked.contains(stage)) {
            open(stage, Conclusion.NOT_RECORDED, stage.name() + " looked at headers, which a record does not have");
        } else if (services.refusedCalls()) {
            open(stage, Conclusion.NOT_ASKED, stage.name() + " would ask somebody");
        } else {
            conclude(verdict);
        }
    }

    // What a watch may stop.

    @Override
    public RunWatch watch() {
        return this;
    }

    @Override
    public RequestHead shown(Stage stage, RequestHead shown) {
        return request.recorded() ? new RecordedHead(shown, () -> looked.add(stage)) : shown;
    }

    @Override
    public boolean mayLeave(Stage stage) {
        String missing = stage.unbuilt();
        if (missing != null) {
            open(stage, Conclusion.NOT_ASKED, stage.name() + " could not be made: " + missing);
        } else if (stage.callsOut() && !request.isLive()) {
            open(stage, Conclusion.NOT_ASKED, stage.name() + " would ask somebody");
        }
        return !over;
    }

    @Override
    public boolean mayRead(Stage stage) {
        if (request.recorded()) {
            open(stage, Conclusion.NOT_RECORDED, stage.name() + " would read the body, which a record does not have");
        }
        return !over;
    }

    @Override
    public void edits(Stage stage, Edits edits) {
        record.edited(edits);
    }

    // What the run asks for.

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

    @Override
    public MutableAuditRecord audit() {
        return record.audit();
    }

    @Override
    public MessageBody body() {
        MessageBody present = body;
        if (present == null) {
            present = new MessageBody(
                    ByteBufAllocator.DEFAULT,
                    services.budget(),
                    BodyLimits.request(services.settings().caps().request()),
                    head.headers(),
                    head.length(),
                    bytes -> {},
                    (position, why) -> {});
            body = present;
            if (head.length() != 0 && request.body().length > 0) {
                present.data(Unpooled.wrappedBuffer(request.body()));
            }
            present.end(NO_TRAILERS);
        }
        return present;
    }

    @Override
    public void bodyDemanded() {
        // All of it is there.
    }

    @Override
    public void requireNear(Stage stage, Runnable next) {
        if (preview.isUnknown()) {
            open(stage, Conclusion.NOT_ASKED, preview.notResolved());
            return;
        }
        preview.find(true, next, refusal -> conclude(Conclusion.of(refusal, blamed(refusal, stage), null)));
    }

    private static @Nullable Stage blamed(Refusal refusal, Stage stage) {
        return Refusal.isRejection(refusal.status()) ? stage : null;
    }

    // Verdicts of the run.

    @Override
    public void forward() {
        Refusal refused = EngineVerdicts.beforeForwarding(head, unlisted);
        if (refused != null) {
            conclude(Conclusion.of(refused));
            return;
        }
        Stage carrying = run.carriesForTls();
        if (!preview.isUnknown()) {
            preview.find(carrying != null, this::release, refusal -> {
                Stage stage = carrying == null ? null : blamed(refusal, carrying);
                conclude(Conclusion.of(refusal, stage, null));
            });
        } else if (carrying != null) {
            open(carrying, Conclusion.NOT_ASKED, preview.notResolved());
        } else {
            release();
        }
    }

    private void release() {
        MessageBody present = body;
        if (over) {
            return;
        }
        if (present == null || present.idle() || request.recorded()) {
            conclude(Conclusion.ALLOWED);
        } else {
            present.release(this);
        }
    }

    @Override
    public void rejected(Stage stage, Decision.Reject reject) {
        StubResponse own = reject.response();
        judged(
                stage,
                new Conclusion(
                        Explanation.Verdict.REJECT,
                        own == null || facts.visibility() != Visibility.FULL ? reject.status() : own.status(),
                        reject.code(),
                        reject.detail(),
                        stage,
                        reject.position() == null ? "" : reject.position()));
    }

    @Override
    public void responded(Stage stage, StubResponse response) {
        judged(
                stage,
                facts.visibility() == Visibility.FULL
                        ? Conclusion.stub(response.status(), stage)
                        : Conclusion.of(EngineVerdicts.STUB_NOT_POSSIBLE, stage, null));
    }

    @Override
    public void failed(Stage stage, int status, String code, String detail, String error) {
        judged(stage, Conclusion.of(new Refusal(status, code, detail, ""), stage, null));
    }

    // The body on its way out: what looks at it as it streams may refuse it.

    @Override
    public void begin(long length) {
        // The head would leave now.
    }

    @Override
    public void data(ByteBuf data) {
        data.release();
    }

    @Override
    public void end(HeaderBlock trailers) {
        Stage late = run.carriesForTls();
        if (late == null) {
            conclude(Conclusion.ALLOWED);
        } else if (preview.isUnknown()) {
            open(late, Conclusion.NOT_ASKED, preview.notResolved());
        } else if (preview.isNear()) {
            conclude(Conclusion.ALLOWED);
        } else {
            conclude(Conclusion.of(EngineVerdicts.PLAINTEXT_CREDENTIAL, late, null));
        }
    }

    @Override
    public void failed(BodyFailure failure) {
        Stage stage = run.bodyFailed(failure);
        if (stage != null && failure.reject() != null) {
            rejected(stage, failure.reject());
            return;
        }
        conclude(Conclusion.of(Refusal.ofRequestBody(failure)));
    }

    @Override
    public boolean isWritable() {
        return true;
    }
}
