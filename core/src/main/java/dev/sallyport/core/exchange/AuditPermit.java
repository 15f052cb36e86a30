package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.ClientShare;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.UpgradeTokens;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.workload.Callers;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Visibility;
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
    private final ClientShare client;
    private final @Nullable TunnelTarget refused;
    private final long startNanos = System.nanoTime();
    private @Nullable AuditSlot slot;

    /** The number of the generation that has judged a tunnel; 0 for none. */
    private int judgedBy;

    /**
     * @param slot out of the client's share
     * @param refused the refused target of the tunnel in which the permit is used, or null
     */
    AuditPermit(
            ExchangeServices services,
            ConnectionInfo connection,
            EventLoop loop,
            ClientShare client,
            AuditSlot slot,
            @Nullable TunnelTarget refused) {
        this.services = services;
        this.connection = connection;
        this.loop = loop;
        this.client = client;
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
        RefusedTunnel outside = refusedTunnel(head, destination);
        if (outside != null) {
            refuse(downstream, head, outside.record(), outside.denied());
            return new DiscardingListener(downstream);
        }
        if (LocalSite.serves(destination)) {
            serve(downstream, head, destination);
            return new DiscardingListener(downstream);
        }
        Generation generation = services.pipeline().current(connection.principal());
        if (generation == null) {
            refuse(downstream, head, destination, NOT_READY);
            return new DiscardingListener(downstream);
        }
        Refusal unreadable = EngineVerdicts.beforePolicy(generation, head, destination);
        if (unreadable != null) {
            refuse(downstream, head, destination, unreadable);
            return new DiscardingListener(downstream);
        }
        MutableAuditRecord record = record(head, destination);
        TraceFields.apply(services.settings().get().trace(), head.headers(), record);
        OverrideFields.drop(generation, loop, destination, head.headers(), record);
        ExchangeRecorder recorder = new ExchangeRecorder(services.audit(), generation, loop, use(), record, startNanos);
        String unlisted = EngineVerdicts.unlisted(generation, destination, head, upgrade);
        UpgradeHandshake handshake = upgrade == null || unlisted != null ? null : handshake(upgrade);
        if (handshake != null && handshake.framed()) {
            head.length(0);
        } else if (unlisted != null) {
            record.upgradeDropped(unlisted);
        }
        Exchange exchange = new Exchange(
                services,
                generation,
                downstream,
                facts(record, destination, Visibility.FULL),
                head,
                handshake,
                unlisted,
                recorder);
        exchange.start();
        return exchange;
    }

    /** How the origin is asked for the switch. */
    private UpgradeHandshake handshake(String upgrade) {
        return UpgradeTokens.WEBSOCKET.equals(upgrade)
                ? new WebSocketHandshake(connection.protocol().equals(HTTP_1_1))
                : new ByteHandshake(upgrade);
    }

    private ExchangeFacts facts(MutableAuditRecord record, Destination destination, Visibility visibility) {
        return new ExchangeFacts(loop, record.exchangeId(), connection, client, destination, visibility);
    }

    /** A refused tunnel that may still not open, with the record of what was asked for inside it. */
    private record RefusedTunnel(MutableAuditRecord record, Decided denied) {}

    /** Judges again the refused tunnel that the permit is used in; null when there is none, or when it may open now. */
    private @Nullable RefusedTunnel refusedTunnel(@Nullable RequestMessage head, Destination destination) {
        TunnelTarget outside = refused;
        if (outside == null) {
            return null;
        }
        MutableAuditRecord record = record(head, destination);
        Decided denied = judge(outside.ask(record));
        if (denied == null) {
            services.audit().writer().dropped(record);
            return null;
        }
        return new RefusedTunnel(record, denied);
    }

    @Override
    public void refuse(
            ClientStream downstream,
            @Nullable RequestMessage head,
            @Nullable Destination destination,
            Refusal refusal) {
        refuse(downstream, head, record(head, destination), Decided.byEngine(refusal));
    }

    private void refuse(
            ClientStream downstream, @Nullable RequestMessage head, MutableAuditRecord record, Decided denied) {
        denied.note(record);
        send(
                downstream,
                record,
                head,
                LocalResponses.problem(
                        record.exchangeId(),
                        head,
                        denied.refusal(),
                        denied.by(),
                        services.settings().get().problems()));
    }

    /** The proxy's own site: no policy, no upstream, and one record like any other. */
    private void serve(ClientStream downstream, RequestMessage head, Destination destination) {
        MutableAuditRecord record = record(head, destination);
        LocalSite.Served served = services.site().get().serve(record.exchangeId(), connection, head);
        if (served.refusal().isEmpty()) {
            record.action(AuditRecord.Action.STUB).stubbedBy(LocalSite.NAME);
        } else {
            record.action(AuditRecord.Action.REJECT).error(served.refusal());
        }
        send(downstream, record, head, served.answer());
    }

    private void send(
            ClientStream downstream,
            MutableAuditRecord record,
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
        MutableAuditRecord record = record(head, target);
        Decided denied = judge(new TunnelRequest(connection, target, record));
        if (denied == null) {
            return open(record, target, false);
        }
        if (toldInside(denied, target)) {
            return openRefused(record, target, denied);
        }
        refuse(downstream, head, record, denied);
        return null;
    }

    @Override
    public Exchanges.TunnelVerdict admit(RequestMessage head, Destination target) {
        MutableAuditRecord record = record(head, target);
        Decided denied = judge(new TunnelRequest(connection, target, record));
        if (denied == null) {
            return new Exchanges.TunnelVerdict.Open(open(record, target, false));
        }
        if (toldInside(denied, target)) {
            return new Exchanges.TunnelVerdict.Open(openRefused(record, target, denied));
        }
        denied.note(record);
        offer(record.statusCode(denied.refusal().status()));
        return new Exchanges.TunnelVerdict.Denied(denied.refusal());
    }

    private @Nullable Decided judge(TunnelRequest ask) {
        if (LocalSite.serves(ask.target())) {
            return null;
        }
        Generation generation = services.pipeline().current(connection.principal());
        if (generation == null) {
            return Decided.byEngine(NOT_READY);
        }
        judgedBy = generation.number();
        Generation.TunnelRefusal refused = generation.admit(loop, ask);
        return refused == null ? null : Decided.of(refused);
    }

    private Exchanges.Tunnel open(MutableAuditRecord record, Destination target, boolean refusedAlready) {
        services.audit().giveBack(use(), record);
        return new OpenTunnel(
                services, loop, record, startNanos, new TunnelTarget(connection, target), judgedBy, refusedAlready);
    }

    /** Whether a refusal is reported inside the tunnel: only policy refusals of the host, never failures. */
    private boolean toldInside(Decided denied, Destination target) {
        return denied.refusal().status() == FORBIDDEN
                && !denied.by().transform().isEmpty()
                && services.settings().get().deniesInside().test(target.host());
    }

    /** Without a request inside, the tunnel's record is that of the refusal. */
    private Exchanges.Tunnel openRefused(MutableAuditRecord record, Destination target, Decided denied) {
        denied.note(record);
        record.statusCode(denied.refusal().status());
        return open(record, target, true);
    }

    /** A denial, with what the client is told of its origin. */
    private record Decided(Denial denial, LocalResponses.DecidedBy by) {

        static Decided byEngine(Refusal refusal) {
            return new Decided(Denial.byEngine(refusal), LocalResponses.DecidedBy.ENGINE);
        }

        static Decided of(Generation.TunnelRefusal refused) {
            Denial denial = new Denial(Refusal.of(refused), refused.stage().name(), null);
            return new Decided(denial, LocalResponses.DecidedBy.of(refused.stage(), refused.position()));
        }

        Refusal refusal() {
            return denial.refusal();
        }

        /** Notes it in a record, except for the status. A transform that failed is named, but its tunnel is an error. */
        void note(MutableAuditRecord record) {
            denial.note(record);
            record.action(refusal().action());
        }
    }

    @Override
    public void record(EarlyTermination ended) {
        MutableAuditRecord record = record(ended.head(), ended.destination());
        services.audit().ended(record, connection, ended);
        offer(record);
    }

    @Override
    public RelayListener pass(PassthroughClient client, Destination destination, PassedProtocol protocol) {
        // As for a request: TLS inside is passed through by its own name, although the tunnel's target is refused.
        RefusedTunnel outside = refusedTunnel(null, destination);
        if (outside != null) {
            refuse(client, outside.record(), protocol, outside.denied());
            return RelayListener.NONE;
        }
        if (LocalSite.serves(destination)) {
            refuse(client, destination, protocol, LocalSite.PASSED);
            return RelayListener.NONE;
        }
        Generation generation = services.pipeline().current(connection.principal());
        if (generation == null) {
            refuse(client, destination, protocol, NOT_READY);
            return RelayListener.NONE;
        }
        if (!protocol.isPassedBy(generation, destination)) {
            refuse(client, destination, protocol, OtherTcp.REFUSED);
            return RelayListener.NONE;
        }
        return begin(generation, client, destination, protocol, false);
    }

    @Override
    public @Nullable EarlyPassage passEarly(PassthroughClient client, Destination destination) {
        Generation generation = services.pipeline().current(connection.principal());
        if (refused != null
                || generation == null
                || LocalSite.serves(destination)
                || !OtherTcp.INSTANCE.isPassedBy(generation, destination)) {
            giveBack();
            return null;
        }
        return begin(generation, client, destination, OtherTcp.INSTANCE, true);
    }

    private PassthroughExchange begin(
            Generation generation,
            PassthroughClient client,
            Destination destination,
            PassedProtocol protocol,
            boolean early) {
        MutableAuditRecord record = record(null, destination);
        ExchangeFacts facts = facts(record, destination, Visibility.HOST_ONLY);
        PassthroughExchange exchange =
                new PassthroughExchange(services, generation, client, facts, protocol, use(), record, early);
        exchange.start();
        return exchange;
    }

    @Override
    public void refuse(
            PassthroughClient client, @Nullable Destination destination, PassedProtocol protocol, Refusal refusal) {
        refuse(client, record(null, destination), protocol, Decided.byEngine(refusal));
    }

    private void refuse(PassthroughClient client, MutableAuditRecord record, PassedProtocol protocol, Decided denied) {
        protocol.note(record, false);
        denied.note(record);
        offer(record.statusCode(denied.refusal().status()));
        client.refuse(denied.refusal().alert());
    }

    private void offer(MutableAuditRecord record) {
        services.audit().offer(use(), loop, record.durationNanos(System.nanoTime() - startNanos));
    }

    private MutableAuditRecord record(@Nullable RequestMessage head, @Nullable Destination destination) {
        MutableAuditRecord record = new MutableAuditRecord(services.ids().next(), System.currentTimeMillis())
                .capturesFrom(services.audit().gate())
                .remoteAddr(connection.peer())
                .workload(connection.principal().workload())
                .untold(Callers.isUntold(connection.principal()))
                .mode(services.audit().mode())
                .protocol(connection.protocol());
        if (destination != null) {
            record.host(destination.host()).port(destination.port()).secure(destination.secure());
        }
        if (head != null) {
            record.method(head.method()).path(head.target());
            TraceFields.note(head.headers(), record);
        }
        if (connection.sni() != null) {
            record.sni(connection.sni());
        }
        if (connection.tunnelTarget() != null) {
            record.tunnelTarget(connection.tunnelTarget());
        }
        return services.audit().writer().begun(record);
    }
}
