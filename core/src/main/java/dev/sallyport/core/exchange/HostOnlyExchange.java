package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodyLimits;
import dev.sallyport.core.body.BodySink;
import dev.sallyport.core.body.Credit;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.pipeline.BodyFailureStatus;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.RequestCallbacks;
import dev.sallyport.core.pipeline.RequestRun;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.upstream.TunnelListener;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Visibility;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One TLS connection that is passed through untouched: the whole request pipeline judges a request of which only the
 * host is known, then the connection is coupled with its origin. Confined to one event loop.
 *
 * <p>The lease on the generation ends with the verdict. The audit slot is given back while the relay runs, which may be
 * hours: the record waits for another one, and of such records there are never more than connections.
 */
final class HostOnlyExchange implements RequestCallbacks, TunnelListener, RelayListener {

    private static final Credit NO_CREDIT = bytes -> {};
    private static final HeaderBlock NO_TRAILERS = new HeaderBlock(1);
    private static final Refusal NO_STUB =
            new Refusal(403, "stub_not_possible", "There is no request that could be answered.", "http_request_denied");

    private final ExchangeServices services;
    private final PassthroughClient client;
    private final ConnectionInfo connection;
    private final Destination destination;
    private final ClientHelloFacts facts;
    private final AuditRecord record;
    private final String exchangeId;
    private final RequestMessage head = new RequestMessage("", "", null, new HeaderBlock(1), 0);
    private final long startNanos = System.nanoTime();

    /** Null after the verdict: a relay keeps no generation alive. */
    private @Nullable Judging judging;

    private @Nullable MessageBody body;
    private @Nullable Runnable cancelOpening;
    private boolean editsIgnored;
    private boolean relaying;

    /** The slot for the record; null while the relay runs. */
    private @Nullable AuditSlot slot;

    private boolean over;

    HostOnlyExchange(
            ExchangeServices services,
            Generation generation,
            PassthroughClient client,
            ConnectionInfo connection,
            Destination destination,
            ClientHelloFacts facts,
            AuditSlot slot,
            AuditRecord record,
            String exchangeId) {
        this.services = services;
        this.client = client;
        this.connection = connection;
        this.destination = destination;
        this.facts = facts;
        this.slot = slot;
        this.record = record;
        this.exchangeId = exchangeId;
        generation.acquire(client.loop());
        this.judging = new Judging(generation, generation.request(this));
    }

    /** The pipeline at work, under a lease. */
    private record Judging(Generation generation, RequestRun run) {}

    /** The TLS alert that tells the client of a refusal; there is no other way. */
    static TlsAlert alert(Refusal refusal) {
        return refusal.status() < 500 ? TlsAlert.ACCESS_DENIED : TlsAlert.INTERNAL_ERROR;
    }

    void start() {
        Judging begun = judging;
        if (begun != null) {
            begun.run().start();
        }
    }

    // What the run of the request asks for, and its verdicts.

    @Override
    public EventLoop loop() {
        return client.loop();
    }

    @Override
    public String exchangeId() {
        return exchangeId;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public Destination destination() {
        return destination;
    }

    @Override
    public Visibility visibility() {
        return Visibility.HOST_ONLY;
    }

    @Override
    public RequestMessage head() {
        return head;
    }

    /** Empty and complete. */
    @Override
    public boolean mayGrow(long bytes) {
        return true;
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
                    0,
                    NO_CREDIT,
                    (position, why) -> {});
            body = present;
            present.end(NO_TRAILERS);
        }
        return present;
    }

    @Override
    public AuditRecord audit() {
        return record;
    }

    @Override
    public void bodyDemanded() {}

    /** What is passed through is TLS. */
    @Override
    public void requireNear(Stage stage, Runnable next) {
        throw new IllegalStateException("a credential without TLS in a connection that is passed through");
    }

    @Override
    public void forward() {
        MessageBody present = body;
        if (present != null && !present.idle()) {
            present.release(new Nowhere());
        }
        if (over) {
            return;
        }
        editsIgnored = edited();
        settle();
        Route route = Route.chosenByWorkload(destination, connection.principal().workload());
        cancelOpening = services.upstreams().tunnel(client.loop(), route, this);
    }

    private boolean edited() {
        return editsIgnored
                || !head.method().isEmpty()
                || !head.path().isEmpty()
                || !head.query().isEmpty()
                || head.headers().size() > 0
                || (body != null && body.altered());
    }

    /** Ends the empty body for the rewriters and observers that wait for its end. */
    private final class Nowhere implements BodySink {

        @Override
        public void begin(long length) {}

        @Override
        public void data(ByteBuf data) {
            editsIgnored = true;
            data.release();
        }

        @Override
        public void end(HeaderBlock trailers) {}

        @Override
        public void failed(BodyFailure failure) {
            BodyFailureStatus fault = BodyFailureStatus.ofRequest(failure);
            record.error(fault.code() + ": " + failure.detail());
            refuse(AuditRecord.Action.ERROR, fault.status(), TlsAlert.INTERNAL_ERROR);
        }

        @Override
        public boolean isWritable() {
            return true;
        }
    }

    @Override
    public void rejected(Stage stage, Decision.Reject reject) {
        record.rejectedBy(stage.name());
        refuse(AuditRecord.Action.REJECT, reject.status(), TlsAlert.ACCESS_DENIED);
    }

    /** Refuses: a stub cannot be sent to a client that speaks TLS with the origin. */
    @Override
    public void responded(Stage stage, StubResponse response) {
        record.rejectedBy(stage.name()).error(NO_STUB.code() + ": " + NO_STUB.detail());
        refuse(AuditRecord.Action.REJECT, NO_STUB.status(), TlsAlert.ACCESS_DENIED);
    }

    @Override
    public void failed(Stage stage, int status, String code, String detail, String error) {
        boolean rejects = status < 500;
        if (rejects) {
            record.rejectedBy(stage.name());
        }
        record.error(code + ": " + stage.name() + ": " + error);
        refuse(
                rejects ? AuditRecord.Action.REJECT : AuditRecord.Action.ERROR,
                status,
                rejects ? TlsAlert.ACCESS_DENIED : TlsAlert.INTERNAL_ERROR);
    }

    private void refuse(AuditRecord.Action action, int status, TlsAlert alert) {
        if (!over) {
            close(action, status);
            client.refuse(alert);
        }
    }

    // The way to the origin.

    @Override
    public void onConnected(Channel origin) {
        cancelOpening = null;
        if (origin.remoteAddress() instanceof InetSocketAddress address) {
            record.upstreamAddr(address);
        }
        relaying = true;
        AuditSlot held = slot;
        slot = null;
        if (held != null) {
            services.audit().lasts(record);
            held.giveBack();
        }
        client.relay(origin);
    }

    @Override
    public void onFailure(UpstreamFailure failure) {
        cancelOpening = null;
        Refusal refusal = UpstreamRequest.refusal(failure.kind());
        record.error(refusal.code() + ": " + failure.message());
        refuse(AuditRecord.Action.ERROR, refusal.status(), alert(refusal));
    }

    // What the client's handler tells.

    @Override
    public void gone(DisconnectReason why) {
        if (!over && !relaying) {
            closeFor(why);
        }
    }

    private void closeFor(DisconnectReason why) {
        if (!why.error().isEmpty()) {
            record.error(why.error());
        }
        close(why.action(), 0);
    }

    @Override
    public void ended(long fromClient, long fromOrigin, End end) {
        record.requestBytes(fromClient).responseBytes(fromOrigin);
        switch (end) {
            case COMPLETE -> close(AuditRecord.Action.ALLOW, 0);
            case IDLE -> {
                record.error("idle_timeout: no byte in either direction for too long");
                close(AuditRecord.Action.ALLOW, 0);
            }
            case CLIENT_RESET -> closeFor(DisconnectReason.LEFT);
            case ORIGIN_RESET -> {
                record.error("the origin broke the connection off");
                close(AuditRecord.Action.ERROR, 0);
            }
            case CUT_OFF -> closeFor(DisconnectReason.CUT_OFF);
        }
    }

    /** Releases what the verdict needed. */
    private void settle() {
        Judging done = judging;
        judging = null;
        if (done != null) {
            done.run().cancel();
            if (body != null) {
                body.discard();
                body = null;
            }
            done.generation().release(client.loop());
        }
    }

    private void close(AuditRecord.Action action, int status) {
        if (over) {
            return;
        }
        over = true;
        settle();
        Runnable cancel = cancelOpening;
        cancelOpening = null;
        if (cancel != null) {
            cancel.run();
        }
        facts.note(record, editsIgnored);
        record.action(action).statusCode(status).durationNanos(System.nanoTime() - startNanos);
        AuditSlot held = slot;
        slot = null;
        if (held == null) {
            services.offerLater(client.loop(), record);
        } else {
            services.audit().offer(held, record);
        }
    }
}
