package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodyLimits;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.loop.Turns;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.MessageEdits;
import dev.sallyport.core.pipeline.RequestCallbacks;
import dev.sallyport.core.pipeline.RequestRun;
import dev.sallyport.core.pipeline.ResponseSteps;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.redact.CarriedCredentials;
import dev.sallyport.core.redact.ExchangeRedaction;
import dev.sallyport.core.redact.ResponseSearch;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.core.upstream.UpstreamStream;
import dev.sallyport.core.websocket.MessageException;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.StubResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request, from its head to its audit record: runs the transforms, then sends the request on its {@link
 * UpstreamRequest} while its {@link ClientResponse} brings the response back. Confined to one event loop.
 */
final class Exchange extends Recheckable implements ClientStreamListener, RequestCallbacks {

    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    private final ExchangeServices services;
    private final ClientStream downstream;
    private final ExchangeFacts facts;
    private final RequestMessage head;
    private final ExchangeRecorder recorder;
    private final RequestRun run;
    private final ClientResponse response;
    private final UpstreamRequest upstream;
    private final boolean headOnly;
    private final @Nullable ContinueExpectation expectation;
    private final @Nullable UpgradeHandshake handshake;

    /** The protocol to which the client asks to switch and that no rule lists. */
    private final @Nullable String unlisted;

    private @Nullable UpgradeRelay relay;
    private @Nullable MessageBody body;
    private @Nullable HeaderBlock trailers;
    private boolean over;

    /** Charges header fields that edits added to the budget for bodies. */
    private long grown;

    Exchange(
            ExchangeServices services,
            Generation generation,
            ClientStream downstream,
            ExchangeFacts facts,
            RequestMessage head,
            @Nullable UpgradeHandshake handshake,
            @Nullable String unlisted,
            ExchangeRecorder recorder) {
        this.services = services;
        this.downstream = downstream;
        this.facts = facts;
        this.head = head;
        this.handshake = handshake;
        this.unlisted = unlisted;
        this.recorder = recorder;
        this.headOnly = head.method().equals("HEAD");
        this.expectation = ContinueExpectation.of(downstream, head.headers());
        this.run = generation.request(this);
        this.response = new ClientResponse(this, services, generation, downstream, recorder);
        PlaintextCredentialGate plaintext = new PlaintextCredentialGate(this, run, services.upstreams(), recorder);
        this.upstream =
                new UpstreamRequest(this, services.upstreams(), response, recorder, services.budget(), plaintext);
    }

    void start() {
        services.rechecks().add(this);
        if (head.length() != 0 && head.headers().contains("Content-Encoding")) {
            body(); // Knows its coding from now on, whatever transforms do to the field.
        }
        run.start();
    }

    // What the client's protocol tells.

    @Override
    public void onData(ByteBuf data) {
        if (expectation != null) {
            expectation.bodyCame();
        }
        if (over) {
            int bytes = data.readableBytes();
            data.release();
            downstream.consumed(bytes);
            return;
        }
        if (relay != null) {
            relay.fromClient(data);
            return;
        }
        recorder.requestBytes(data.readableBytes());
        body().data(data);
    }

    @Override
    public void onEnd(HeaderBlock requestTrailers) {
        if (relay != null && !over) {
            relay.clientEnded();
            return;
        }
        trailers = requestTrailers;
        if (!over && body != null) {
            body.end(requestTrailers);
        }
    }

    @Override
    public void onWritable() {
        if (relay != null) {
            relay.clientWritable();
        }
        response.writable();
    }

    @Override
    public void onGone(DisconnectReason why) {
        if (!over && (relay == null || !relay.clientGone(why))) {
            recorder.gone(why);
            downstream.abort();
            finish();
        }
    }

    @Override
    public void onBroken(Refusal why) {
        if (over) {
            return;
        }
        if (!response.began()) {
            refuse(why, LocalResponses.DecidedBy.ENGINE, why.detail());
            return;
        }
        recorder.clientGone(why.code() + ": " + why.detail());
        downstream.abort();
        finish();
    }

    // What the run of the request asks for, and its verdicts.

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
        grown += bytes;
        return services.budget().take(bytes);
    }

    @Override
    public MutableAuditRecord audit() {
        return recorder.record();
    }

    @Override
    public MessageBody body() {
        MessageBody present = body;
        if (present == null) {
            present = new MessageBody(
                    ByteBufAllocator.DEFAULT,
                    services.budget(),
                    BodyLimits.request(services.settings().get().caps().request()),
                    head.headers(),
                    head.length(),
                    downstream::consumed,
                    recorder);
            present.takeTurns(Turns.of(facts.loop()), facts.client());
            body = present;
            if (trailers != null) {
                present.end(trailers);
            }
        }
        return present;
    }

    @Override
    public void bodyDemanded() {
        if (expectation != null) {
            expectation.meet();
        }
    }

    @Override
    public void forward() {
        Refusal refusal = EngineVerdicts.beforeForwarding(head, unlisted);
        if (refusal != null) {
            refuse(refusal, LocalResponses.DecidedBy.ENGINE, "");
            return;
        }
        if (expectation != null) {
            expectation.forward(body != null && body.rewritten());
        }
        upstream.open();
    }

    @Override
    public void requireNear(Stage stage, Runnable next) {
        upstream.requireNear(stage, next);
    }

    @Override
    public void rejected(Stage stage, Decision.Reject reject) {
        recorder.rejectedBy(stage.name());
        StubResponse own = reject.response();
        if (own == null || response.began()) {
            refuse(Refusal.by(reject), LocalResponses.DecidedBy.of(stage, reject.position()), "");
        } else {
            stopRequest();
            response.answer(LocalResponses.stub(own));
        }
    }

    /** The body failed, or a transform refused it, after the head had already been forwarded. */
    void bodyFailed(BodyFailure failure) {
        if (over) {
            return;
        }
        Stage stage = run.bodyFailed(failure);
        if (stage != null && failure.reject() != null) {
            rejected(stage, failure.reject());
        } else {
            refuse(Refusal.ofRequestBody(failure), LocalResponses.DecidedBy.ENGINE, failure.detail());
        }
    }

    @Override
    public void responded(Stage stage, StubResponse stub) {
        recorder.stubbedBy(stage.name());
        stopRequest();
        redaction(null);
        response.beginLocally(LocalResponses.stub(stub), run.responseSteps());
    }

    @Override
    public void failed(Stage stage, int status, String code, String detail, String error) {
        if (Refusal.isRejection(status)) {
            recorder.rejectedBy(stage.name());
        }
        refuse(
                Refusal.failed(status, code, detail),
                LocalResponses.DecidedBy.of(stage, null),
                stage.name() + ": " + error);
    }

    // What the upstream leg and the response flow ask for.

    /** The request is about to be sent to this address: remembers its credentials and restricts what it asks for. */
    void sending(InetSocketAddress peer) {
        ExchangeRedaction redaction = redaction(peer);
        if (redaction != null) {
            redaction.restrict(head.headers());
        }
    }

    /** Whether the request carries a credential that was deleted since it was put in; if so, it has been refused. */
    boolean carriesDeleted() {
        Stage stage = over ? null : run.carriesDeleted();
        if (stage != null) {
            rejected(stage, EngineVerdicts.SECRET_DELETED);
        }
        return stage != null;
    }

    /** A head of a response has come; credentials that other exchanges sent in the meantime are included. */
    void answered(InetSocketAddress peer) {
        if (!response.filtered()) {
            redaction(peer);
        }
    }

    /** @param peer null if a transform answers, which may have seen the insertions of earlier ones */
    private @Nullable ExchangeRedaction redaction(@Nullable InetSocketAddress peer) {
        ExchangeRedaction redaction = services.redactions()
                .begin(facts.loop(), audit(), principal().workload(), facts.destination(), peer, run.carried());
        response.filter(redaction == null ? null : new OriginRedactionFilter(this, redaction));
        return redaction;
    }

    ClientResponse response() {
        return response;
    }

    ExchangeSettings settings() {
        return services.settings().get();
    }

    /** When the transforms had allowed the request, by {@link System#nanoTime}. */
    long allowedNanos() {
        return run.decidedNanos();
    }

    ResponseSteps responseSteps() {
        return run.responseSteps();
    }

    /** Whether the request may be sent once more with a head that this stage has changed. */
    boolean repeatable(Stage stage) {
        String method = head.method();
        return (method.equals("GET") || method.equals("HEAD"))
                && bodyless()
                && handshake() == null
                && !over
                && upstream.repeatable()
                && run.unsignedAfter(stage);
    }

    void editAgain(Stage stage, Edits edits) {
        run.editAgain(stage, edits);
    }

    /** Drops the response, of which nothing has left, and sends the request once more. */
    void repeat() {
        upstream.repeat();
    }

    /** The handshake that asks the origin to switch protocols, or null. */
    @Nullable UpgradeHandshake handshake() {
        return handshake != null && handshake.asksWith(head.method()) ? handshake : null;
    }

    /** The origin has agreed to switch protocols and the relay listens to it; the client has not been told yet. */
    void prepareRelay(UpstreamStream origin, boolean framed) {
        relay = new UpgradeRelay(
                this, recorder, downstream, origin, services.settings().get().relayIdle(), framed);
    }

    /** The transforms have allowed the switch of protocols. */
    void switchProtocols(ResponseMessage agreement) {
        UpgradeRelay ready = relay;
        if (ready == null) {
            throw impossible("relay: a switch of protocols without an agreement");
        }
        MessageEdits messages = run.responseSteps().messages();
        if (!messages.isEmpty() || !ready.framed()) {
            try {
                ready.rewrite(
                        messages,
                        agreement.headers(),
                        services.budget(),
                        services.settings().get());
            } catch (MessageException fault) {
                refuse(
                        UpstreamRefusals.of(Kind.UPSTREAM_PROTOCOL_ERROR),
                        LocalResponses.DecidedBy.ENGINE,
                        fault.text());
                return;
            }
        }
        response.sendSwitch();
        recorder.settleDown();
        if (messages.isEmpty()) {
            recorder.releaseLease();
        }
        if (!over) {
            ready.open();
        }
    }

    @Override
    Connection client() {
        return facts.connection();
    }

    @Override
    void recheck(Generation now, Connection caller) {
        if (over || recorder.isAdmittedBy(now)) {
            return;
        }
        Generation.TunnelRefusal refused = PolicyChange.judge(
                now, facts.loop(), TunnelRequest.inside(facts.exchangeId(), caller, facts.destination()));
        if (refused == null) {
            return;
        }
        recorder.refusedAnew(now, refused);
        if (response.began()) {
            breakOff();
            return;
        }
        stopRequest();
        answer(Refusal.of(refused), LocalResponses.DecidedBy.of(refused.stage(), refused.position()));
    }

    @Override
    int endIfDeleted() {
        CarriedCredentials carried = run.carried();
        int looked = carried == null ? 0 : carried.size();
        if (over || !response.began()) {
            carriesDeleted();
            return looked;
        }
        Stage stage = run.carriesDeleted();
        if (stage != null) {
            recorder.secretDeleted(stage);
            breakOff();
        }
        return looked;
    }

    private void answer(Refusal refusal, LocalResponses.DecidedBy origin) {
        if (ResponseSearch.endsCall(refusal.code())) {
            response.answer(LocalResponses.call(head.headers(), refusal));
            return;
        }
        ProblemForm form = services.settings().get().problems();
        response.answer(LocalResponses.problem(facts.exchangeId(), head, refusal, origin, form));
    }

    /** Aborts the message to the client, and the request; resets both sides of a relay. */
    void breakOff() {
        if (!over) {
            downstream.abort();
            finish();
        }
    }

    /** Whether the request has no body, and transforms added none. */
    boolean bodyless() {
        return body == null && head.length() == 0;
    }

    /** Whether the client's own method was HEAD, even if a transform changed it. */
    boolean headOnly() {
        return headOnly;
    }

    @Nullable MessageBody bodyIfAny() {
        return body;
    }

    /** The origin asks for the body (100). */
    void continueFromOrigin() {
        if (expectation != null) {
            expectation.fromOrigin();
        }
    }

    boolean over() {
        return over;
    }

    /**
     * Answers with a problem document, or aborts a response that has begun.
     *
     * @param error for the audit record, behind the code; empty when that says it
     */
    void refuse(Refusal refusal, LocalResponses.DecidedBy origin, String error) {
        if (over) {
            return;
        }
        stopRequest();
        if (response.began()) {
            recorder.failed(refusal.error(error));
            response.broken();
        } else {
            recorder.refused(refusal, error);
            answer(refusal, origin);
        }
    }

    /**
     * Handles an internal error: it is no longer known what may be sent, so both sides are aborted, with a record,
     * whoever catches the exception.
     *
     * @return the exception to throw
     */
    IllegalStateException impossible(String what) {
        IllegalStateException fault = new IllegalStateException(what);
        if (!over) {
            LOG.warn("exchange {} is broken off by a fault", facts.exchangeId(), fault);
            recorder.failed(DisconnectReason.FAULT.error() + ": " + what);
            downstream.abort();
            finish();
        }
        return fault;
    }

    /** Once both heads are out, transforms and fields are needed only where a body is still rewritten or watched. */
    void releaseLease() {
        if (response.began() && !response.bound() && (body == null || !body.bound())) {
            recorder.releaseLease();
            response.forgetFields();
        }
    }

    /** The request is no longer needed; the response continues. */
    void stopRequest() {
        run.cancel();
        upstream.abort();
        if (body != null) {
            body.discard();
        }
    }

    /** The response has been sent, or never will be. */
    void finish() {
        if (over) {
            return;
        }
        over = true;
        services.rechecks().remove(this);
        boolean complete = trailers != null && (body == null || body.done()) && upstream.isComplete();
        if (!complete) {
            upstream.abort();
        }
        run.cancel();
        if (body != null) {
            body.discard();
        }
        response.discard();
        if (relay != null) {
            relay.discard();
        }
        if (grown > 0) {
            services.budget().give(grown);
        }
        recorder.close();
    }
}
