package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodyLimits;
import dev.sallyport.core.body.BodySink;
import dev.sallyport.core.body.Credit;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.loop.Ticks;
import dev.sallyport.core.loop.Turns;
import dev.sallyport.core.pipeline.BodyFailureStatus;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.ResponseCallbacks;
import dev.sallyport.core.pipeline.ResponseRun;
import dev.sallyport.core.pipeline.ResponseSteps;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.StubResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Sends the response of one exchange to the client: the origin's, a transform's, or the proxy's own. A response of the
 * first two kinds passes the phases before {@link Phase#PASSED}, in order, before any of it leaves.
 */
final class ClientResponse implements ResponseCallbacks, BodySink {

    /** The progress of the response. */
    enum Phase {
        /** There is no response yet. */
        NONE,
        /** The head has arrived; credentials are being removed, and earlier interim heads are sent first. */
        FILTERING,
        /** The response steps of the transforms are running. */
        JUDGING,
        /** The response may leave. If it has a body, the body decides when the head leaves. */
        PASSED,
        /** The head has left, and the body follows. */
        SENDING,
        /** The head has left and was the whole message; any body is discarded. */
        HEAD_ONLY,
        /** The client has been told of the switch of protocols. */
        SWITCHED,
        /** Nothing more leaves. */
        ENDED;

        /** The transitions. A response of the proxy's own ends it at once; one that is asked for anew is dropped. */
        boolean mayBecome(Phase next) {
            return switch (next) {
                case NONE -> this == JUDGING;
                case FILTERING -> this == NONE;
                case JUDGING -> this == FILTERING;
                case PASSED -> this == JUDGING;
                case SENDING, HEAD_ONLY, SWITCHED -> this == PASSED;
                case ENDED -> true;
            };
        }
    }

    /** The source of the response. */
    private enum Source {
        ORIGIN,
        /** The origin, which agrees to switch protocols. */
        AGREEMENT,
        /** A transform: anything else from the origin is discarded. */
        TRANSFORM
    }

    private static final HeaderBlock NO_TRAILERS = new HeaderBlock(1);
    private static final Credit NO_CREDIT = bytes -> {};

    private final Exchange exchange;
    private final ExchangeServices services;
    private final Generation generation;
    private final ClientStream downstream;
    private final ExchangeRecorder recorder;

    private @Nullable ResponseMessage head;
    private @Nullable MessageBody body;
    private @Nullable OriginRedactionFilter filter;
    private @Nullable InterimResponses interims;
    private @Nullable ResponseRun run;
    private Phase phase = Phase.NONE;
    private Source source = Source.ORIGIN;

    /** Whether the message came without a body. */
    private boolean bodyless;

    /** Whether trailers can follow the body to the client. */
    private boolean trailed;

    ClientResponse(
            Exchange exchange,
            ExchangeServices services,
            Generation generation,
            ClientStream downstream,
            ExchangeRecorder recorder) {
        this.exchange = exchange;
        this.services = services;
        this.generation = generation;
        this.downstream = downstream;
        this.recorder = recorder;
    }

    Phase phase() {
        return phase;
    }

    private void become(Phase next) {
        if (!phase.mayBecome(next)) {
            throw unexpected(next.name());
        }
        phase = next;
    }

    private IllegalStateException unexpected(String event) {
        return exchange.impossible("response: " + event + " after " + phase);
    }

    /** Whether a head has been sent to the client: from then on a failure can only abort the message. */
    boolean began() {
        return switch (phase) {
            case NONE, FILTERING, JUDGING, PASSED -> false;
            case SENDING, HEAD_ONLY, SWITCHED, ENDED -> true;
        };
    }

    /** Whether transforms still rewrite or observe the body. */
    boolean bound() {
        MessageBody present = body;
        return present != null && present.bound();
    }

    // What the origin sends.

    /** The filter for everything that the origin sends. */
    void filter(@Nullable OriginRedactionFilter nextToOrigin) {
        filter = nextToOrigin;
    }

    /** Whether there is such a filter. */
    boolean filtered() {
        return filter != null;
    }

    /** Whether WebSocket messages are searched for credentials before transforms see them. */
    boolean searchesMessages() {
        OriginRedactionFilter first = filter;
        return first != null && first.searches();
    }

    void interim(ResponseMessage interim, ResponseSteps steps) {
        if (phase != Phase.NONE || !downstream.isWritable()) {
            return; // a hint for a client that does not read would only pile up (RFC 9110, 15.2)
        }
        stripAlternatives(interim.headers());
        OriginRedactionFilter first = filter;
        if (first == null) {
            judgeInterim(interim, steps);
        } else {
            first.interim(interim, () -> judgeInterim(interim, steps));
        }
    }

    private void judgeInterim(ResponseMessage interim, ResponseSteps steps) {
        if (steps.isEmpty(interim.status())) {
            downstream.interim(interim);
            return;
        }
        if (interims == null) {
            interims = new InterimResponses(exchange, generation, downstream);
        }
        interims.add(interim, steps);
    }

    void begin(ResponseMessage newHead, boolean end, Credit credit, ResponseSteps steps) {
        become(Phase.FILTERING);
        stripAlternatives(newHead.headers());
        head = newHead;
        bodyless = end;
        if (!end) {
            body = newBody(newHead, newHead.length(), credit);
        }
        judgeFiltered(steps);
    }

    /** The origin has agreed to switch protocols: a head without a body, and then a relay. */
    void switching(ResponseMessage newHead, ResponseSteps steps) {
        become(Phase.FILTERING);
        source = Source.AGREEMENT;
        head = newHead;
        bodyless = true;
        OriginRedactionFilter first = filter;
        if (first == null) {
            judge(steps);
        } else {
            first.switching(newHead, steps, () -> judge(steps));
        }
    }

    /** Tells the client that the protocol has been switched. */
    void sendSwitch() {
        become(Phase.SWITCHED);
        recorder.status(head().status());
        downstream.head(head(), false);
    }

    /** Clients would use an alternative service (RFC 7838), such as HTTP/3, around the proxy. */
    private void stripAlternatives(HeaderBlock headers) {
        if (services.settings().get().stripAltSvc()) {
            headers.removeAll("Alt-Svc");
            headers.removeAll("Alternate-Protocol");
        }
    }

    /** Sends a transform's response back through the steps of the transforms before it. */
    void beginLocally(LocalResponses.LocalResponse answer, ResponseSteps steps) {
        become(Phase.FILTERING);
        takeOver(answer);
        judgeFiltered(steps);
    }

    private void judgeFiltered(ResponseSteps steps) {
        OriginRedactionFilter first = filter;
        if (first == null) {
            judge(steps);
        } else {
            first.response(head(), body, () -> judge(steps));
        }
    }

    private void judge(ResponseSteps steps) {
        InterimResponses before = interims;
        if (before != null && before.underWay()) {
            before.afterwards(() -> judge(steps));
            return;
        }
        become(Phase.JUDGING);
        if (steps.isEmpty(head().status())) {
            pass();
        } else {
            ResponseRun back = generation.response(steps, this);
            run = back;
            back.start();
        }
    }

    /** Some of the origin's body; owns the buffer. */
    void fromOrigin(ByteBuf data) {
        MessageBody to = body;
        if (source != Source.ORIGIN || to == null) {
            data.release();
        } else {
            to.data(data);
        }
    }

    /** The origin's message is complete. */
    void originEnded(HeaderBlock trailers) {
        MessageBody to = body;
        if (source == Source.ORIGIN && to != null) {
            to.end(trailers);
        }
    }

    /** The origin's message broke off after its head: fails the reader of the body, or aborts the client. */
    void broken() {
        MessageBody to = body;
        if (!began() && to != null) {
            to.abort();
        } else if (!exchange.over()) {
            downstream.abort();
            exchange.finish();
        }
    }

    void writable() {
        if (body != null) {
            body.writable();
        }
    }

    /** Releases what is held. Idempotent. */
    void discard() {
        become(Phase.ENDED);
        stopSteps();
        if (body != null) {
            body.discard();
        }
    }

    private void stopSteps() {
        if (filter != null) {
            filter.cancel();
        }
        if (interims != null) {
            interims.cancel();
        }
        if (run != null) {
            run.cancel();
        }
    }

    /** Sends a complete message of the proxy's own, past the transforms. */
    void answer(LocalResponses.LocalResponse answer) {
        if (began()) {
            throw unexpected("an answer");
        }
        become(Phase.ENDED);
        stopSteps();
        dropBody();
        recorder.status(answer.head().status());
        boolean empty = answer.body().length == 0 || exchange.headOnly();
        downstream.head(answer.head(), empty);
        if (!empty) {
            recorder.responseBytes(answer.body().length);
            downstream.data(Unpooled.wrappedBuffer(answer.body()));
            downstream.end(NO_TRAILERS);
        }
        exchange.finish();
    }

    private void takeOver(LocalResponses.LocalResponse answer) {
        source = Source.TRANSFORM;
        dropBody();
        head = answer.head();
        bodyless = answer.body().length == 0 || exchange.headOnly();
        if (!bodyless) {
            MessageBody own = newBody(answer.head(), answer.body().length, NO_CREDIT);
            body = own;
            own.data(Unpooled.wrappedBuffer(answer.body()));
            own.end(NO_TRAILERS);
        }
    }

    private void dropBody() {
        MessageBody before = body;
        body = null;
        if (before != null) {
            before.discard();
        }
    }

    private MessageBody newBody(ResponseMessage of, long length, Credit credit) {
        MessageBody made = new MessageBody(
                ByteBufAllocator.DEFAULT,
                services.budget(),
                BodyLimits.response(services.settings().get().caps().response()),
                of.headers(),
                length,
                credit,
                recorder);
        made.tolerateCodings();
        made.takeTurns(Turns.of(downstream.loop()), facts().client());
        made.holdBriefly(Ticks.of(downstream.loop()));
        return made;
    }

    // What the run of the response asks for, and its verdicts.

    @Override
    public ExchangeFacts facts() {
        return exchange.facts();
    }

    @Override
    public RequestMessage request() {
        return exchange.head();
    }

    @Override
    public ResponseMessage head() {
        ResponseMessage present = head;
        if (present == null) {
            throw new IllegalStateException("there is no response yet");
        }
        return present;
    }

    @Override
    public boolean mayGrow(long bytes) {
        return exchange.mayGrow(bytes);
    }

    @Override
    public MessageBody body() {
        MessageBody present = body;
        if (present == null) {
            present = newBody(head(), 0, NO_CREDIT);
            body = present;
            present.end(NO_TRAILERS);
        }
        return present;
    }

    @Override
    public boolean answeredLocally() {
        return source == Source.TRANSFORM;
    }

    @Override
    public MutableAuditRecord audit() {
        return recorder.record();
    }

    @Override
    public void replace(StubResponse response) {
        if (phase != Phase.JUDGING) {
            throw unexpected("a replacement");
        }
        exchange.stopRequest();
        takeOver(LocalResponses.stub(response));
    }

    @Override
    public boolean repeatable(Stage stage) {
        return source == Source.ORIGIN && phase == Phase.JUDGING && exchange.repeatable(stage);
    }

    @Override
    public void editRequest(Stage stage, Edits edits) {
        exchange.editAgain(stage, edits);
    }

    @Override
    public void repeat() {
        become(Phase.NONE);
        stopSteps();
        dropBody();
        filter = null;
        interims = null;
        run = null;
        head = null;
        exchange.repeat();
    }

    @Override
    public void pass() {
        become(Phase.PASSED);
        if (source == Source.AGREEMENT) {
            dropBody();
            exchange.switchProtocols(head());
            return;
        }
        MessageBody from = body;
        if (from == null || (bodyless && from.idle())) {
            become(Phase.HEAD_ONLY);
            sendHead(true);
            exchange.finish();
        } else {
            from.release(this);
        }
    }

    @Override
    public void refused(Stage stage, ResponseDecision.Refuse refuse) {
        Refusal refusal = new Refusal(refuse.status(), refuse.code(), refuse.detail(), "http_request_denied");
        refused(refusal, LocalResponses.DecidedBy.of(stage, refuse.position()), stage, refuse.response());
    }

    @Override
    public void rejected(Stage stage, Decision.Reject reject) {
        LocalResponses.DecidedBy origin = LocalResponses.DecidedBy.of(stage, reject.position());
        refused(Refusal.by(reject), origin, stage, reject.response());
    }

    private void refused(Refusal refusal, LocalResponses.DecidedBy origin, Stage stage, @Nullable StubResponse own) {
        recorder.rejectedBy(stage.name());
        if (own == null || began()) {
            exchange.refuse(refusal, origin, "");
        } else {
            exchange.stopRequest();
            answer(LocalResponses.stub(own));
        }
    }

    @Override
    public void failed(Stage stage, int status, String code, String detail, String error) {
        Refusal refusal = new Refusal(status, code, detail, "http_response_incomplete");
        exchange.refuse(refusal, LocalResponses.DecidedBy.of(stage, null), stage.name() + ": " + error);
    }

    private void sendHead(boolean end) {
        recorder.status(head().status());
        if (end && !exchange.headOnly() && head().mayHaveBody()) {
            head().length(0);
            BodyFraming.length(head().headers(), 0);
        }
        if (!trailed) {
            head().headers().removeAll(HopByHop.TRAILER);
        }
        downstream.head(head(), end);
        exchange.releaseLease();
    }

    /**
     * Nobody looks at the fields again: they are not kept for as long as the client takes for the body. They stay counted:
     * as long as it takes nothing at all, they may be encoded in its connection.
     */
    void forgetFields() {
        if (phase == Phase.SENDING || phase == Phase.HEAD_ONLY) {
            head().headers().clear();
        }
    }

    // The body on its way to the client.

    @Override
    public void begin(long length) {
        if (phase != Phase.PASSED) {
            throw unexpected("a body that begins");
        }
        boolean noBody = exchange.headOnly() || !head().mayHaveBody() || (bodyless && length == 0);
        if (!noBody) {
            boolean chunked = body().trailing() && downstream.acceptsTrailers();
            BodyFraming.apply(head(), chunked ? ResponseMessage.UNKNOWN_LENGTH : length, body().altered());
            trailed = downstream.mayCarryTrailers(head().length());
        }
        become(noBody ? Phase.HEAD_ONLY : Phase.SENDING);
        sendHead(noBody);
    }

    @Override
    public void data(ByteBuf data) {
        switch (phase) {
            case SENDING -> {
                recorder.responseBytes(data.readableBytes());
                downstream.data(data);
            }
            case HEAD_ONLY, ENDED -> data.release();
            case NONE, FILTERING, JUDGING, PASSED, SWITCHED -> {
                data.release();
                throw unexpected("data");
            }
        }
    }

    @Override
    public void end(HeaderBlock trailers) {
        if (phase == Phase.SENDING) {
            downstream.end(trailed ? trailers : NO_TRAILERS);
        } else if (phase != Phase.HEAD_ONLY) {
            throw unexpected("an end");
        }
        exchange.finish();
    }

    @Override
    public void failed(BodyFailure failure) {
        ResponseRun passed = run;
        Stage stage = passed == null ? null : passed.bodyFailed(failure);
        if (stage != null && failure.reject() != null) {
            rejected(stage, failure.reject());
            return;
        }
        BodyFailureStatus fault = BodyFailureStatus.ofResponse(failure);
        Refusal refusal = new Refusal(fault.status(), fault.code(), failure.detail(), "http_response_incomplete");
        exchange.refuse(refusal, LocalResponses.DecidedBy.ENGINE, failure.detail());
    }

    @Override
    public boolean isWritable() {
        return downstream.isWritable();
    }
}
