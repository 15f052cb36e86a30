package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Paths;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** The exchanges of a proxy that sees whole requests. Thread-safe; each call on the loop of its connection. */
public final class HttpExchanges implements Exchanges {

    private static final String HTTP_1_1 = "http/1.1";
    private static final HeaderBlock NO_TRAILERS = new HeaderBlock(1);
    private static final Refusal NOT_READY = new Refusal(
            503, "not_ready", "The proxy has no policy yet, or is shutting down.", "proxy_configuration_error");

    private final ExchangeServices services;

    public HttpExchanges(ExchangeServices services) {
        this.services = services;
    }

    @Override
    public boolean tryPermit(EventLoop loop, Runnable whenAvailable) {
        if (services.gate().tryAcquire()) {
            return true;
        }
        services.gate().whenAvailable(loop, whenAvailable);
        return false;
    }

    @Override
    public void returnPermit() {
        services.gate().release();
    }

    @Override
    public Upload begin(
            Downstream downstream,
            ConnectionInfo connection,
            RequestMessage head,
            Destination destination,
            @Nullable String upgrade) {
        if (LocalSite.serves(destination)) {
            serve(downstream, connection, head, destination);
            return new Drain(downstream);
        }
        Generation generation = services.pipeline().current();
        if (generation == null) {
            refuse(downstream, connection, head, destination, NOT_READY);
            return new Drain(downstream);
        }
        if (Paths.hasEncodedSlash(head.path()) && generation.ambiguous(destination, head)) {
            refuse(
                    downstream,
                    connection,
                    head,
                    destination,
                    Refusal.badRequest("The encoded slash in the path can be read in two ways by the policy."));
            return new Drain(downstream);
        }
        String id = services.ids().next();
        Ledger ledger =
                new Ledger(services, generation, downstream.loop(), record(id, connection, head, destination), id);
        Handshake handshake = Handshake.TOKEN.equals(upgrade)
                ? new Handshake(connection.protocol().equals(HTTP_1_1))
                : null;
        if (handshake != null) {
            head.length(0);
        }
        Exchange exchange =
                new Exchange(services, generation, downstream, connection, head, destination, handshake, ledger);
        exchange.start();
        return exchange;
    }

    @Override
    public void refuse(
            Downstream downstream,
            ConnectionInfo connection,
            @Nullable RequestMessage head,
            @Nullable Destination destination,
            Refusal refusal) {
        String id = services.ids().next();
        AuditRecord record = record(id, connection, head, destination);
        refuse(downstream, record, id, head, refusal, Answers.Origin.ENGINE);
    }

    private void refuse(
            Downstream downstream,
            AuditRecord record,
            String id,
            @Nullable RequestMessage head,
            Refusal refusal,
            Answers.Origin origin) {
        mark(record, refusal, origin);
        send(downstream, record, head, Answers.problem(id, head, refusal, origin));
    }

    /** The proxy's own site: no policy, no upstream, and one record like any other. */
    private void serve(Downstream downstream, ConnectionInfo connection, RequestMessage head, Destination destination) {
        String id = services.ids().next();
        AuditRecord record = record(id, connection, head, destination);
        LocalSite.Served served = services.site().get().serve(id, connection, head);
        if (served.refusal().isEmpty()) {
            record.action(AuditRecord.Action.STUB).stubbedBy(LocalSite.NAME);
        } else {
            record.action(AuditRecord.Action.REJECT).error(served.refusal());
        }
        send(downstream, record, head, served.answer());
    }

    private void send(Downstream downstream, AuditRecord record, @Nullable RequestMessage head, Answers.Answer answer) {
        boolean empty =
                answer.body().length == 0 || (head != null && head.method().equals("HEAD"));
        record.statusCode(answer.head().status()).responseBytes(empty ? 0 : answer.body().length);
        services.audit().offer(record);
        downstream.head(answer.head(), empty);
        if (!empty) {
            downstream.data(Unpooled.wrappedBuffer(answer.body()));
            downstream.end(NO_TRAILERS);
        }
    }

    @Override
    public @Nullable Tunnel connect(
            Downstream downstream, ConnectionInfo connection, RequestMessage head, Destination target) {
        String id = services.ids().next();
        AuditRecord record = record(id, connection, head, target);
        Denial denial = judge(downstream.loop(), new ConnectAsk(id, connection, target, record));
        if (denial == null) {
            return open(downstream.loop(), record);
        }
        refuse(downstream, record, id, head, denial.refusal(), denial.origin());
        return null;
    }

    @Override
    public TunnelVerdict admit(EventLoop loop, ConnectionInfo connection, RequestMessage head, Destination target) {
        String id = services.ids().next();
        AuditRecord record = record(id, connection, head, target);
        Denial denial = judge(loop, new ConnectAsk(id, connection, target, record));
        if (denial == null) {
            return new TunnelVerdict.Open(open(loop, record));
        }
        offer(record, denial.refusal(), denial.origin());
        return new TunnelVerdict.Denied(denial.refusal());
    }

    private @Nullable Denial judge(EventLoop loop, ConnectAsk ask) {
        if (LocalSite.serves(ask.target())) {
            return null;
        }
        Generation generation = services.pipeline().current();
        if (generation == null) {
            return new Denial(NOT_READY, Answers.Origin.ENGINE);
        }
        Generation.TunnelRefusal refused = generation.admit(loop, ask);
        return refused == null
                ? null
                : new Denial(
                        new Refusal(refused.status(), refused.code(), refused.detail(), "http_request_denied"),
                        Answers.Origin.of(refused.stage(), refused.position()));
    }

    private Tunnel open(EventLoop loop, AuditRecord record) {
        services.gate().release();
        return new OpenTunnel(services, loop, record);
    }

    /** Writes the record of a refusal. */
    private void offer(AuditRecord record, Refusal refusal, Answers.Origin origin) {
        mark(record, refusal, origin);
        services.audit().offer(record.statusCode(refusal.status()));
    }

    private static void mark(AuditRecord record, Refusal refusal, Answers.Origin origin) {
        if (origin.transform().isEmpty()) {
            record.error(refusal.code() + ": " + refusal.detail());
        } else {
            record.rejectedBy(origin.transform());
        }
        record.action(refusal.status() < 500 ? AuditRecord.Action.REJECT : AuditRecord.Action.ERROR);
    }

    /** A tunnel that may not open. */
    private record Denial(Refusal refusal, Answers.Origin origin) {}

    @Override
    public void recordOnly(ConnectionInfo connection, @Nullable Destination destination, Refusal refusal) {
        AuditRecord record = record(services.ids().next(), connection, null, destination);
        record.action(refusal.status() < 500 ? AuditRecord.Action.REJECT : AuditRecord.Action.ERROR)
                .statusCode(refusal.status())
                .error(refusal.code() + ": " + refusal.detail());
        services.audit().offer(record);
    }

    @Override
    public Passage pass(PassedClient client, ConnectionInfo connection, Destination destination, HelloFacts facts) {
        if (LocalSite.serves(destination)) {
            refuse(client, connection, destination, facts, LocalSite.PASSED);
            return Passage.NONE;
        }
        Generation generation = services.pipeline().current();
        if (generation == null) {
            refuse(client, connection, destination, facts, NOT_READY);
            return Passage.NONE;
        }
        String id = services.ids().next();
        AuditRecord record = record(id, connection, null, destination);
        HostOnlyExchange exchange =
                new HostOnlyExchange(services, generation, client, connection, destination, facts, record, id);
        exchange.start();
        return exchange;
    }

    @Override
    public void refuse(
            PassedClient client,
            ConnectionInfo connection,
            @Nullable Destination destination,
            HelloFacts facts,
            Refusal refusal) {
        AuditRecord record = record(services.ids().next(), connection, null, destination);
        facts.note(record);
        record.action(refusal.status() < 500 ? AuditRecord.Action.REJECT : AuditRecord.Action.ERROR)
                .statusCode(refusal.status())
                .error(refusal.code() + ": " + refusal.detail());
        services.audit().offer(record);
        client.refuse(HostOnlyExchange.alert(refusal));
    }

    private AuditRecord record(
            String id, ConnectionInfo connection, @Nullable RequestMessage head, @Nullable Destination destination) {
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
        return record;
    }

    /** Takes what follows a head that was refused. */
    private record Drain(Downstream downstream) implements Upload {

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
        public void onGone() {}

        @Override
        public void onBroken(Refusal why) {}
    }
}
