package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.pipeline.BlockingStepExecutor;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.pipeline.TransformServices;
import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.redact.RedactionSettings;
import dev.sallyport.core.secret.EngineSourceContext;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.core.upstream.HeaderTimeouts;
import dev.sallyport.core.upstream.Offline;
import dev.sallyport.core.upstream.OriginEndpoint;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.upstream.RouteCheckListener;
import dev.sallyport.core.upstream.TunnelListener;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.core.upstream.UpstreamListener;
import dev.sallyport.core.upstream.UpstreamStream;
import dev.sallyport.core.upstream.Upstreams;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Principal;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.toolkit.match.Destinations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One exchange between a client and an origin that are both played by the test, on the test's thread: what each is told
 * is written down in {@link #client} and {@link #origin}.
 */
final class ExchangeFixture implements AutoCloseable {

    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
    private static final BodyCaps CAPS = new BodyCaps(1 << 20, 1 << 20);

    /** What the client has been told, in order. */
    final List<String> client = new ArrayList<>();

    /** What the origins have been told, in order. */
    final List<String> origin = new ArrayList<>();

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final BlockingQueue<String> records = new LinkedBlockingQueue<>();
    private final AuditGate gate = new AuditGate(16, 1L << 20);
    private final AuditWriter audit;
    private final Pipeline pipeline = new Pipeline();
    private final SecretStore secrets;
    private final EngineSourceContext lent;
    private final Generation generation;
    private final ExchangeServices services;
    private final ClientStreamListener upload;

    private @Nullable UpstreamRequest leg;
    private @Nullable UpstreamListener listener;
    private @Nullable RouteCheckListener checking;
    private InetSocketAddress originAddress = ADDRESS;
    private int streams;

    /** A transform of the test's own. */
    private record Given(Transform transform, Capabilities capabilities) {}

    private static final class Factory implements TransformFactory<Given> {

        @Override
        public Descriptor<Given> descriptor() {
            return Descriptor.of("given", Given.class, "A test's own.");
        }

        @Override
        public Capabilities capabilities(Given config) {
            return config.capabilities();
        }

        @Override
        public Transform create(Given config, BuildContext context) {
            return config.transform();
        }
    }

    /**
     * A request that has begun.
     *
     * @param length of its body, -1 for an unknown one
     * @param upgrade whether it asks for a WebSocket
     * @param step what judges the response, or null
     */
    ExchangeFixture(String method, long length, boolean upgrade, @Nullable ResponseStep step) {
        this(method, length, upgrade, step == null ? null : judging(step));
    }

    /** A GET that passes this transform. */
    ExchangeFixture(Transform transform, Capabilities capabilities) {
        this("GET", 0, false, new Given(transform, capabilities));
    }

    private static Given judging(ResponseStep step) {
        return new Given(
                (InlineTransform) request -> Decision.proceed(Edits.none(), step),
                Capabilities.builder()
                        .reads(Part.RESPONSE_BODY)
                        .writes(Part.RESPONSE_HEADERS)
                        .effects(Effect.ANSWERS_LOCALLY)
                        .build());
    }

    private ExchangeFixture(String method, long length, boolean upgrade, @Nullable Given transform) {
        audit = new AuditWriter(gate, AuditSinks.stream(OutputStream.nullOutputStream()), new AuditListener() {
                    @Override
                    public void written(AuditRecord record, ByteBuffer line) {
                        records.add(StandardCharsets.UTF_8.decode(line).toString());
                    }
                })
                .start();
        lent = new EngineSourceContext(Map.of(), Clock.systemUTC(), call -> {
            throw new UnsupportedOperationException("no network");
        });
        secrets = new SecretStore(Map.of(), lent, timers);
        generation = generation(transform);
        pipeline.swap(generation);
        ExchangeSettings settings = new ExchangeSettings(
                CAPS,
                Duration.ZERO,
                true,
                host -> false,
                ProblemForm.DOCUMENT,
                ProxySection.Trace.PASS,
                HeaderTimeouts.NONE);
        LocalSite site = new LocalSite(null, Runnable::run);
        services = new ExchangeServices(
                pipeline,
                new Origins(),
                new AuditTrail(gate, audit, "mitm"),
                new BodyBudget(1L << 24),
                new RedactionRegistry(
                        new RedactionSettings(RedactResponse.SWAPPED, Duration.ofHours(1)), System::nanoTime),
                () -> settings,
                new ExchangeIds(),
                () -> site,
                new Rechecks(pipeline, List.of()));
        ConnectionInfo connection = new ConnectionInfo(
                ListenerKind.HTTP,
                new ConnectionInfo.Endpoints(ADDRESS, ADDRESS),
                null,
                "http/1.1",
                null,
                Principal.anonymous());
        Exchanges.Permit permit =
                new HttpExchanges(services).client(connection).tryPermit(channel.eventLoop(), () -> {});
        if (permit == null) {
            throw new AssertionError("no permit");
        }
        HeaderBlock headers = new HeaderBlock(4);
        headers.append("Host", "origin.example");
        if (upgrade) {
            headers.append("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
            headers.append("Sec-WebSocket-Version", "13");
        }
        RequestMessage head = new RequestMessage(method, "/", null, headers, length);
        upload = permit.begin(
                new Client(),
                head,
                Destinations.fromAuthority("origin.example:80", 80, false),
                upgrade ? "websocket" : null);
    }

    private Generation generation(@Nullable Given transform) {
        GenerationBuilder builder = new GenerationBuilder(new TransformServices(
                Clock.systemUTC(),
                timers,
                call -> {
                    throw new UnsupportedOperationException("no network");
                },
                host -> CompletableFuture.failedFuture(new IOException("no names")),
                new Offline(),
                secrets,
                new MeterRegistry(OpenTelemetry.noop()),
                new BlockingStepExecutor(1),
                List.of(channel.eventLoop()),
                Map.of()));
        List<TransformEntry<?>> entries = transform == null
                ? List.of()
                : List.of(new TransformEntry<>(new Factory(), transform, new Location("test", 0, 0), "/transforms/0"));
        Generation generation = builder.build(
                entries, new PipelineSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), CAPS), problem -> {
                    throw new AssertionError(problem.toString());
                });
        if (generation == null) {
            throw new AssertionError("no generation");
        }
        return generation;
    }

    /** The exchange's own listener. */
    UpstreamRequest leg() {
        UpstreamRequest known = leg;
        if (known == null) {
            throw new AssertionError("no stream was asked for");
        }
        return known;
    }

    /** Who listens to the origin. */
    UpstreamListener current() {
        UpstreamListener known = listener;
        if (known == null) {
            throw new AssertionError("no stream was asked for");
        }
        return known;
    }

    ClientResponse response() {
        return exchange().response();
    }

    Exchange exchange() {
        return (Exchange) upload;
    }

    ExchangeServices services() {
        return services;
    }

    Generation generation() {
        return generation;
    }

    AuditGate gate() {
        return gate;
    }

    EmbeddedChannel channel() {
        return channel;
    }

    /** Who waits for an address that is near enough; null when nobody does. */
    @Nullable RouteCheckListener checking() {
        return checking;
    }

    /** What comes from now on comes to the leg, whoever has taken its place. */
    void listenAgain() {
        listener = leg();
    }

    ClientStreamListener upload() {
        return upload;
    }

    /** From now on the origin has this address. */
    void originAt(InetSocketAddress address) {
        originAddress = address;
    }

    /** A stream is there; it writes down what it is told. */
    UpstreamStream ready(boolean reused) {
        Stream stream = new Stream(++streams, reused);
        current().onReady(stream);
        return stream;
    }

    void interim(int status) {
        current().onInterim(new ResponseMessage(status, "", new HeaderBlock(1), 0));
    }

    void head(int status, long length) {
        HeaderBlock headers = new HeaderBlock(4);
        if (status == 101) {
            headers.append("Connection", "Upgrade");
            headers.append("Upgrade", "websocket");
            headers.append("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        } else if (length >= 0) {
            headers.append("Content-Length", Long.toString(length));
        }
        current().onHead(new ResponseMessage(status, "", headers, length), length == 0 && status != 101);
    }

    void data(String text) {
        current().onData(bytes(text));
    }

    void end() {
        current().onEnd(new HeaderBlock(1));
    }

    void fail(UpstreamFailure.Kind kind) {
        current().onFailure(new UpstreamFailure(kind, "origin.example: " + kind, UpstreamFailure.Repeat.NEVER));
    }

    void fail(UpstreamFailure.Repeat repeat) {
        current()
                .onFailure(
                        new UpstreamFailure(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, "origin.example: gone", repeat));
    }

    static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    /** Runs what the loop has been given. */
    void loop() {
        channel.runPendingTasks();
    }

    /** The one record of the exchange. */
    String record() throws InterruptedException {
        String record = records.poll(Patience.SECONDS, TimeUnit.SECONDS);
        if (record == null) {
            throw new AssertionError("no record");
        }
        return record;
    }

    /** Whether a record has been written that nobody has taken. */
    boolean hasRecord() {
        return !records.isEmpty();
    }

    @Override
    public void close() {
        upload.onGone(DisconnectReason.LEFT);
        channel.finishAndReleaseAll();
        audit.close();
        secrets.close();
        lent.close();
        timers.shutdownNow();
    }

    private static String text(ByteBuf data) {
        try {
            return data.toString(StandardCharsets.UTF_8);
        } finally {
            data.release();
        }
    }

    private final class Origins implements Upstreams {

        @Override
        public Runnable open(EventLoop loop, Route route, UpstreamListener to) {
            leg = (UpstreamRequest) to;
            listener = to;
            origin.add(route.nearOnly() ? "open near" : "open");
            return () -> origin.add("cancel");
        }

        @Override
        public Runnable tunnel(EventLoop loop, Route route, TunnelListener to) {
            throw new UnsupportedOperationException("tunnel");
        }

        @Override
        public Runnable check(EventLoop loop, Route route, RouteCheckListener to) {
            checking = to;
            origin.add(route.nearOnly() ? "check near" : "check");
            return () -> origin.add("cancel check");
        }
    }

    private final class Stream implements UpstreamStream {

        private final int number;
        private final boolean reused;

        Stream(int number, boolean reused) {
            this.number = number;
            this.reused = reused;
        }

        private void told(String what) {
            origin.add(number + " " + what);
        }

        @Override
        public OriginEndpoint endpoint() {
            return new OriginEndpoint(originAddress, null);
        }

        @Override
        public String protocol() {
            return "http/1.1";
        }

        @Override
        public boolean reused() {
            return reused;
        }

        @Override
        public void listener(UpstreamListener next) {
            listener = next;
        }

        @Override
        public void head(RequestMessage head, boolean end) {
            told(head.method() + (end ? " whole" : ""));
        }

        @Override
        public void data(ByteBuf data) {
            told("data " + text(data));
        }

        @Override
        public void end(HeaderBlock trailers) {
            told("end");
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void consumed(int bytes) {}

        @Override
        public void abort() {
            told("abort");
        }
    }

    private final class Client implements ClientStream {

        @Override
        public EventLoop loop() {
            return channel.eventLoop();
        }

        @Override
        public void interim(ResponseMessage head) {
            client.add("interim " + head.status());
        }

        @Override
        public void head(ResponseMessage head, boolean end) {
            client.add(head.status() + (end ? " whole" : ""));
        }

        @Override
        public void data(ByteBuf data) {
            client.add("data " + text(data));
        }

        @Override
        public void end(HeaderBlock trailers) {
            client.add("end");
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void consumed(int bytes) {}

        @Override
        public boolean acceptsTrailers() {
            return true;
        }

        @Override
        public void abort() {
            client.add("abort");
        }
    }
}
