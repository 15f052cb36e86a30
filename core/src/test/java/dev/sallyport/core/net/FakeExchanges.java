package dev.sallyport.core.net;

import dev.sallyport.core.exchange.ClientStream;
import dev.sallyport.core.exchange.ClientStreamListener;
import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.EarlyPassage;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.PassedProtocol;
import dev.sallyport.core.exchange.PassthroughClient;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.exchange.RelayListener;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Answers by path, and remembers all that it was handed. Unless told otherwise it answers with what it was asked. */
final class FakeExchanges implements Exchanges {

    /** A request that was handed over. */
    record Begun(
            ClientStream downstream,
            ConnectionInfo connection,
            RequestMessage head,
            Destination destination,
            @Nullable String upgrade) {}

    /** A request that was refused before it began. */
    record Refused(
            ConnectionInfo connection,
            @Nullable RequestMessage head,
            @Nullable Destination destination,
            Refusal refusal) {}

    /** A TLS connection that was to be passed through; it is refused. */
    record Passed(PassthroughClient client, ConnectionInfo connection, Destination destination, PassedProtocol facts) {}

    final List<Passed> passed = new CopyOnWriteArrayList<>();
    final List<Begun> begun = new CopyOnWriteArrayList<>();
    final List<Refused> refused = new CopyOnWriteArrayList<>();
    final List<Refused> recorded = new CopyOnWriteArrayList<>();
    final List<EarlyTermination> endings = new CopyOnWriteArrayList<>();
    final List<FakeTunnel> tunnels = new CopyOnWriteArrayList<>();
    final List<String> faults = new CopyOnWriteArrayList<>();
    final AtomicInteger permits = new AtomicInteger(1_000_000);
    private static final Refusal DENIED = new Refusal(403, "not_allowed", "no rule allows it", "http_request_denied");

    private final ConcurrentLinkedQueue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private final Map<String, Function<Begun, ClientStreamListener>> answers = new ConcurrentHashMap<>();

    private record Waiting(EventLoop loop, Runnable task) {}

    FakeExchanges() {
        on("/", Greeting::new);
        on("/echo", Echo::new);
    }

    void on(String path, Function<Begun, ClientStreamListener> answer) {
        answers.put(path, answer);
    }

    /** Makes permits available and wakes those who wait. */
    void morePermits(int number) {
        permits.addAndGet(number);
        for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
            next.loop().execute(next.task());
        }
    }

    int waiting() {
        return waiting.size();
    }

    @Override
    public Client client(ConnectionInfo connection, BooleanSupplier open) {
        return new FakeClient(connection);
    }

    @Override
    public boolean maySwitch(Principal caller, String host) {
        return false;
    }

    @Override
    public boolean relays(Principal caller, Destination destination) {
        return false;
    }

    private final class FakeClient implements Client {

        private final ConnectionInfo connection;

        FakeClient(ConnectionInfo connection) {
            this.connection = connection;
        }

        @Override
        public ConnectionInfo connection() {
            return connection;
        }

        @Override
        public @Nullable Permit tryPermit(EventLoop loop, Runnable whenAvailable) {
            if (!loop.inEventLoop()) {
                faults.add("tryPermit outside of the loop");
            }
            if (permits.getAndDecrement() > 0) {
                return new FakePermit(connection);
            }
            permits.incrementAndGet();
            waiting.add(new Waiting(loop, whenAvailable));
            return null;
        }

        @Override
        public @Nullable Permit tryRecord(EventLoop loop, Runnable whenAvailable) {
            return tryPermit(loop, whenAvailable);
        }
    }

    private final class FakePermit implements Permit {

        private final ConnectionInfo connection;
        private boolean used;

        FakePermit(ConnectionInfo connection) {
            this.connection = connection;
        }

        private void use() {
            if (used) {
                faults.add("a permit was used twice");
            }
            used = true;
        }

        @Override
        public void giveBack() {
            use();
            permits.incrementAndGet();
        }

        @Override
        public ClientStreamListener begin(
                ClientStream downstream, RequestMessage head, Destination destination, @Nullable String upgrade) {
            use();
            Begun request = new Begun(downstream, connection, head.copy(), destination, upgrade);
            begun.add(request);
            return answers.getOrDefault(head.path(), answers.get("/")).apply(request);
        }

        @Override
        public void refuse(
                ClientStream downstream,
                @Nullable RequestMessage head,
                @Nullable Destination destination,
                Refusal refusal) {
            use();
            refused.add(new Refused(connection, head, destination, refusal));
            problem(downstream, refusal);
        }

        @Override
        public RelayListener pass(PassthroughClient client, Destination destination, PassedProtocol facts) {
            use();
            passed.add(new Passed(client, connection, destination, facts));
            client.refuse(TlsAlert.ACCESS_DENIED);
            return RelayListener.NONE;
        }

        @Override
        public @Nullable EarlyPassage passEarly(PassthroughClient client, Destination destination) {
            giveBack();
            return null;
        }

        @Override
        public void refuse(
                PassthroughClient client, @Nullable Destination destination, PassedProtocol facts, Refusal refusal) {
            use();
            refused.add(new Refused(connection, null, destination, refusal));
            client.refuse(TlsAlert.ACCESS_DENIED);
        }

        @Override
        public @Nullable Tunnel connect(ClientStream downstream, RequestMessage head, Destination target) {
            if (target.host().equals("denied.test")) {
                refuse(downstream, head, target, DENIED);
                return null;
            }
            return opened(target);
        }

        private FakeTunnel opened(Destination target) {
            use();
            FakeTunnel tunnel = new FakeTunnel(target);
            tunnels.add(tunnel);
            return tunnel;
        }

        @Override
        public TunnelVerdict admit(RequestMessage head, Destination target) {
            if (target.host().equals("denied.test")) {
                use();
                refused.add(new Refused(connection, head, target, DENIED));
                return new TunnelVerdict.Denied(DENIED);
            }
            return new TunnelVerdict.Open(opened(target));
        }

        @Override
        public void record(EarlyTermination ended) {
            use();
            endings.add(ended);
            recorded.add(new Refused(connection, ended.head(), ended.destination(), ended.refusal()));
        }
    }

    private static void problem(ClientStream downstream, Refusal refusal) {
        byte[] body = ("{\"code\":\"" + refusal.code() + "\"}").getBytes(StandardCharsets.UTF_8);
        HeaderBlock headers = new HeaderBlock();
        headers.append("Content-Type", "application/problem+json");
        headers.append("Content-Length", String.valueOf(body.length));
        downstream.head(new ResponseMessage(refusal.status(), "", headers, body.length), false);
        downstream.data(Unpooled.wrappedBuffer(body));
        downstream.end(new HeaderBlock(1));
    }

    /** Sends a whole response at once. */
    static void respond(ClientStream downstream, int status, String body, String... fields) {
        byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
        HeaderBlock headers = new HeaderBlock();
        for (int i = 0; i < fields.length; i += 2) {
            headers.append(fields[i], fields[i + 1]);
        }
        headers.append("Content-Length", String.valueOf(bytes.length));
        String reason = HttpResponseStatus.valueOf(status).reasonPhrase();
        downstream.head(new ResponseMessage(status, reason, headers, bytes.length), bytes.length == 0);
        if (bytes.length > 0) {
            downstream.data(Unpooled.wrappedBuffer(bytes));
            downstream.end(new HeaderBlock(1));
        }
    }

    /** A tunnel that remembers its end. */
    final class FakeTunnel implements Tunnel {

        final Destination target;
        final AtomicInteger uses = new AtomicInteger();
        volatile @Nullable EarlyTermination ended;

        FakeTunnel(Destination target) {
            this.target = target;
        }

        @Override
        public Client client(ConnectionInfo inside, BooleanSupplier open) {
            return FakeExchanges.this.client(inside, open);
        }

        @Override
        public void carriedBy(Runnable carrier) {}

        @Override
        public void closed() {}

        @Override
        public void used() {
            uses.incrementAndGet();
        }

        @Override
        public void ended(ConnectionInfo inside, EarlyTermination why) {
            ended = why;
        }

        /** Whether nothing came through it, and why; empty as long as it is open or when a request did. */
        String ending() {
            EarlyTermination known = ended;
            return known == null ? "" : known.action() + " " + known.refusal().code();
        }
    }

    /** Consumes the body; answers in the end, or however a test says by overriding. */
    static class Quiet implements ClientStreamListener {

        final Begun request;
        final AtomicLong received = new AtomicLong();
        final AtomicInteger ends = new AtomicInteger();
        final List<Refusal> broken = new CopyOnWriteArrayList<>();
        final AtomicInteger gones = new AtomicInteger();

        Quiet(Begun request) {
            this.request = request;
        }

        @Override
        public void onData(ByteBuf data) {
            int size = data.readableBytes();
            received.addAndGet(size);
            data.release();
            request.downstream().consumed(size);
        }

        @Override
        public void onEnd(HeaderBlock trailers) {
            ends.incrementAndGet();
        }

        @Override
        public void onWritable() {}

        @Override
        public void onGone(DisconnectReason why) {
            gones.incrementAndGet();
        }

        @Override
        public void onBroken(Refusal why) {
            broken.add(why);
            problem(request.downstream(), why);
        }
    }

    /** Says what it was asked. */
    static final class Greeting extends Quiet {

        Greeting(Begun request) {
            super(request);
        }

        @Override
        public void onEnd(HeaderBlock trailers) {
            super.onEnd(trailers);
            respond(
                    request.downstream(),
                    200,
                    request.head().method() + " " + request.destination() + " "
                            + request.head().target() + " " + received);
        }
    }

    /** Sends back what it gets, as it gets it. */
    static final class Echo extends Quiet {

        Echo(Begun request) {
            super(request);
            if ("100-continue".equals(request.head().headers().first("Expect"))) {
                request.downstream().interim(new ResponseMessage(100, "Continue", new HeaderBlock(1), 0));
            }
            HeaderBlock headers = new HeaderBlock();
            headers.append("X-Echo", "1");
            long length = request.head().length();
            if (length > 0) {
                headers.append("Content-Length", String.valueOf(length));
            }
            request.downstream().head(new ResponseMessage(200, "Fine", headers, length), length == 0);
        }

        @Override
        public void onData(ByteBuf data) {
            int size = data.readableBytes();
            received.addAndGet(size);
            request.downstream().data(data);
            request.downstream().consumed(size);
        }

        @Override
        public void onEnd(HeaderBlock trailers) {
            super.onEnd(trailers);
            request.downstream().end(trailers);
        }
    }
}
