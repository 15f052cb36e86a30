package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Paths;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** A permit backed by one slot of the audit gate. Confined to the loop of its connection. */
final class AuditPermit implements Exchanges.Permit {

    private static final String HTTP_1_1 = "http/1.1";
    private static final int FORBIDDEN = 403;
    private static final HeaderBlock NO_TRAILERS = new HeaderBlock(1);
    private static final Refusal NOT_READY = new Refusal(
            503, "not_ready", "The proxy has no policy yet, or is shutting down.", "proxy_configuration_error");

    private final ExchangeServices services;
    private final ConnectionInfo connection;
    private final EventLoop loop;
    private final @Nullable RefusedTunnelTarget refused;
    private final long startNanos = System.nanoTime();
    private @Nullable AuditSlot slot;

    /** @param refused the refused target of the tunnel in which the permit is used, or null */
    AuditPermit(
            ExchangeServices services,
            ConnectionInfo connection,
            EventLoop loop,
            AuditSlot slot,
            @Nullable RefusedTunnelTarget refused) {
        this.services = services;
        this.connection = connection;
        this.loop = loop;
        this.slot = slot;
        this.refused = refused;
    }

    /** Hands the slot over to the writer of the record. */
    private AuditSlot use() {
        AuditSlot held = slot;
        if (held == null) {
            throw new IllegalStateException("the permit has been used");
        }
        slot = null;
        return held;
    }

    @Override
    public void giveBack() {
        use().giveBack();
    }

    @Override
    public ClientStreamListener begin(
            ClientStream downstream, RequestMessage head, Destination destination, @Nullable String upgrade) {
        RefusedTunnelTarget outside = refused;
        if (outside != null && denies(outside, downstream, head, destination)) {
            return new DiscardingListener(downstream);
        }
        if (LocalSite.serves(destination)) {
            serve(downstream, head, destination);
            return new DiscardingListener(downstream);
        }
        Generation generation = services.pipeline().current();
        if (generation == null) {
            refuse(downstream, head, destination, NOT_READY);
            return new DiscardingListener(downstream);
        }
        if (Paths.hasEncodedSlash(head.path()) && generation.ambiguous(destination, head)) {
            refuse(
                    downstream,
                    head,
                    destination,
                    Refusal.badRequest("The encoded slash in the path can be read in two ways by the policy."));
            return new DiscardingListener(downstream);
        }
        String id = services.ids().next();
        AuditRecord record = record(id, head, destination);
        ExchangeRecorder recorder = new ExchangeRecorder(services, generation, loop, use(), record, id, startNanos);
        WebSocketHandshake handshake = WebSocketHandshake.TOKEN.equals(upgrade)
                ? new WebSocketHandshake(connection.protocol().equals(HTTP_1_1))
                : null;
        if (handshake != null) {
            head.length(0);
        }
        Exchange exchange =
                new Exchange(services, generation, downstream, connection, head, destination, handshake, recorder);
        exchange.start();
        return exchange;
    }

    /** Judges the request's tunnel again; answers the request if the tunnel is still refused. */
    private boolean denies(
            RefusedTunnelTarget outside, ClientStream downstream, RequestMessage head, Destination destination) {
        String id = services.ids().next();
        AuditRecord record = record(id, head, destination);
        Denial denial = judge(outside.ask(id, record));
        if (denial == null) {
            services.audit().dropped(record);
            return false;
        }
        refuse(downstream, record, id, head, denial.refusal(), denial.origin());
        return true;
    }

    @Override
    public void refuse(
            ClientStream downstream,
            @Nullable RequestMessage head,
            @Nullable Destination destination,
            Refusal refusal) {
        String id = services.ids().next();
        refuse(downstream, record(id, head, destination), id, head, refusal, LocalResponses.DecidedBy.ENGINE);
    }

    private void refuse(
            ClientStream downstream,
            AuditRecord record,
            String id,
            @Nullable RequestMessage head,
            Refusal refusal,
            LocalResponses.DecidedBy origin) {
        mark(record, refusal, origin);
        send(downstream, record, head, LocalResponses.problem(id, head, refusal, origin));
    }

    /** The proxy's own site: no policy, no upstream, and one record like any other. */
    private void serve(ClientStream downstream, RequestMessage head, Destination destination) {
        String id = services.ids().next();
        AuditRecord record = record(id, head, destination);
        LocalSite.Served served = services.site().get().serve(id, connection, head);
        if (served.refusal().isEmpty()) {
            record.action(AuditRecord.Action.STUB).stubbedBy(LocalSite.NAME);
        } else {
            record.action(AuditRecord.Action.REJECT).error(served.refusal());
        }
        send(downstream, record, head, served.answer());
    }

    private void send(
            ClientStream downstream,
            AuditRecord record,
            @Nullable RequestMessage head,
            LocalResponses.LocalResponse answer) {
        boolean empty =
                answer.body().length == 0 || (head != null && head.method().equals("HEAD"));
        record.statusCode(answer.head().status()).responseBytes(empty ? 0 : answer.body().length);
        offer(record);
        downstream.head(answer.head(), empty);
        if (!empty) {
            downstream.data(Unpooled.wrappedBuffer(answer.body()));
            downstream.end(NO_TRAILERS);
        }
    }

    @Override
    public Exchanges.@Nullable Tunnel connect(ClientStream downstream, RequestMessage head, Destination target) {
        String id = services.ids().next();
        AuditRecord record = record(id, head, target);
        Denial denial = judge(new TunnelRequest(id, connection, target, record));
        if (denial == null) {
            return open(record, null);
        }
        if (toldInside(denial, target)) {
            return openRefused(record, target, denial);
        }
        refuse(downstream, record, id, head, denial.refusal(), denial.origin());
        return null;
    }

    @Override
    public Exchanges.TunnelVerdict admit(RequestMessage head, Destination target) {
        String id = services.ids().next();
        AuditRecord record = record(id, head, target);
        Denial denial = judge(new TunnelRequest(id, connection, target, record));
        if (denial == null) {
            return new Exchanges.TunnelVerdict.Open(open(record, null));
        }
        if (toldInside(denial, target)) {
            return new Exchanges.TunnelVerdict.Open(openRefused(record, target, denial));
        }
        mark(record, denial.refusal(), denial.origin());
        offer(record.statusCode(denial.refusal().status()));
        return new Exchanges.TunnelVerdict.Denied(denial.refusal());
    }

    private @Nullable Denial judge(TunnelRequest ask) {
        if (LocalSite.serves(ask.target())) {
            return null;
        }
        Generation generation = services.pipeline().current();
        if (generation == null) {
            return new Denial(NOT_READY, LocalResponses.DecidedBy.ENGINE);
        }
        Generation.TunnelRefusal refused = generation.admit(loop, ask);
        return refused == null
                ? null
                : new Denial(
                        new Refusal(refused.status(), refused.code(), refused.detail(), "http_request_denied"),
                        LocalResponses.DecidedBy.of(refused.stage(), refused.position()));
    }

    private Exchanges.Tunnel open(AuditRecord record, @Nullable RefusedTunnelTarget target) {
        services.audit().lasts(record);
        use().giveBack();
        return new OpenTunnel(services, loop, record, startNanos, target);
    }

    /** Whether a refusal is reported inside the tunnel: only policy refusals of the host, never failures. */
    private boolean toldInside(Denial denial, Destination target) {
        return denial.refusal().status() == FORBIDDEN
                && !denial.origin().transform().isEmpty()
                && services.settings().get().deniesInside().test(target.host());
    }

    /** Without a request inside, the tunnel's record is that of the refusal. */
    private Exchanges.Tunnel openRefused(AuditRecord record, Destination target, Denial denial) {
        mark(record, denial.refusal(), denial.origin());
        record.statusCode(denial.refusal().status());
        return open(record, new RefusedTunnelTarget(connection, target));
    }

    private static void mark(AuditRecord record, Refusal refusal, LocalResponses.DecidedBy origin) {
        if (origin.transform().isEmpty()) {
            record.error(refusal.code() + ": " + refusal.detail());
        } else {
            record.rejectedBy(origin.transform());
        }
        record.action(refusal.status() < 500 ? AuditRecord.Action.REJECT : AuditRecord.Action.ERROR);
    }

    /** A tunnel that may not open. */
    private record Denial(Refusal refusal, LocalResponses.DecidedBy origin) {}

    @Override
    public void record(EarlyTermination ended) {
        AuditRecord record = record(services.ids().next(), ended.head(), ended.destination());
        services.ended(record, connection, ended);
        offer(record);
    }

    @Override
    public RelayListener pass(PassthroughClient client, Destination destination, ClientHelloFacts facts) {
        RefusedTunnelTarget outside = refused;
        if (outside != null && denies(outside, client, destination, facts)) {
            return RelayListener.NONE;
        }
        if (LocalSite.serves(destination)) {
            refuse(client, destination, facts, LocalSite.PASSED);
            return RelayListener.NONE;
        }
        Generation generation = services.pipeline().current();
        if (generation == null) {
            refuse(client, destination, facts, NOT_READY);
            return RelayListener.NONE;
        }
        String id = services.ids().next();
        AuditRecord record = record(id, null, destination);
        HostOnlyExchange exchange =
                new HostOnlyExchange(services, generation, client, connection, destination, facts, use(), record, id);
        exchange.start();
        return exchange;
    }

    /** As for a request: the TLS inside is passed through by its name, although the tunnel's target is not. */
    private boolean denies(
            RefusedTunnelTarget outside, PassthroughClient client, Destination destination, ClientHelloFacts facts) {
        String id = services.ids().next();
        AuditRecord record = record(id, null, destination);
        Denial denial = judge(outside.ask(id, record));
        if (denial == null) {
            services.audit().dropped(record);
            return false;
        }
        refuse(client, record, facts, denial.refusal(), denial.origin());
        return true;
    }

    @Override
    public void refuse(
            PassthroughClient client, @Nullable Destination destination, ClientHelloFacts facts, Refusal refusal) {
        refuse(
                client,
                record(services.ids().next(), null, destination),
                facts,
                refusal,
                LocalResponses.DecidedBy.ENGINE);
    }

    private void refuse(
            PassthroughClient client,
            AuditRecord record,
            ClientHelloFacts facts,
            Refusal refusal,
            LocalResponses.DecidedBy origin) {
        facts.note(record);
        mark(record, refusal, origin);
        offer(record.statusCode(refusal.status()));
        client.refuse(HostOnlyExchange.alert(refusal));
    }

    private void offer(AuditRecord record) {
        services.audit().offer(use(), record.durationNanos(System.nanoTime() - startNanos));
    }

    private AuditRecord record(String id, @Nullable RequestMessage head, @Nullable Destination destination) {
        AuditRecord record = new AuditRecord(id, System.currentTimeMillis())
                .capturesFrom(services.gate())
                .remoteAddr(connection.peer())
                .workload(connection.principal().workload())
                .mode(services.mode())
                .protocol(connection.protocol());
        if (destination != null) {
            record.host(destination.host()).port(destination.port());
        }
        if (head != null) {
            record.method(head.method()).path(head.target());
        }
        if (connection.sni() != null) {
            record.sni(connection.sni());
        }
        if (connection.tunnelTarget() != null) {
            record.tunnelTarget(connection.tunnelTarget());
        }
        return services.audit().begun(record);
    }

    /** Discards what follows a refused head. */
    private record DiscardingListener(ClientStream downstream) implements ClientStreamListener {

        @Override
        public void onData(ByteBuf data) {
            int bytes = data.readableBytes();
            data.release();
            downstream.consumed(bytes);
        }

        @Override
        public void onEnd(HeaderBlock trailers) {}

        @Override
        public void onWritable() {}

        @Override
        public void onGone(DisconnectReason why) {}

        @Override
        public void onBroken(Refusal why) {}
    }
}
