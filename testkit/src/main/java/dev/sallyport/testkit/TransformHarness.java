package dev.sallyport.testkit;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.exchange.AuditTrail;
import dev.sallyport.core.exchange.ClientStreamListener;
import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.ExchangeIds;
import dev.sallyport.core.exchange.ExchangeServices;
import dev.sallyport.core.exchange.ExchangeSettings;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.HttpExchanges;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.core.exchange.ProblemForm;
import dev.sallyport.core.exchange.Rechecks;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.redact.RedactionSettings;
import dev.sallyport.core.upstream.HeaderTimeouts;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.spi.Visibility;
import dev.sallyport.toolkit.match.Destinations;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs transforms in the real engine, without sockets: a configuration is bound and built as in the proxy, requests run
 * through the pipeline on an event loop, and a script answers those that are allowed.
 *
 * <pre>{@code
 * try (TransformHarness harness = TransformHarness.of("""
 *         transforms:
 *           - name: allowlist
 *             config: {domains: [api.example.com]}
 *         """).start()) {
 *     ExchangeResult result = harness.send(TestRequest.get("https://api.example.com/v1"));
 *     assertThat(result).isForwarded();
 * }
 * }</pre>
 *
 * <p>For one test thread; every call blocks until its exchange has ended and its audit record is written, at most 30
 * seconds.
 */
public final class TransformHarness implements AutoCloseable {

    private static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 50_000);
    private static final InetSocketAddress PROXY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 3128);

    /** As in production, where the upstream is not on a loopback address. */
    private static final RedactionSettings REDACTION =
            new RedactionSettings(RedactResponse.SWAPPED, Duration.ofHours(24));

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final AuditTap audit = new AuditTap();
    private final Pipeline pipeline = new Pipeline();
    private final ScriptedUpstream upstream;
    private final Exchanges exchanges;
    private final HarnessSetup setup;
    private final SecretWatch watch;

    private TransformHarness(HarnessSetup setup) {
        this.setup = setup;
        this.upstream = new ScriptedUpstream(setup.upstream(), setup.isFar());
        ExchangeSettings settings = new ExchangeSettings(
                setup.caps(),
                Duration.ZERO,
                true,
                host -> false,
                ProblemForm.DOCUMENT,
                ProxySection.Trace.PASS,
                HeaderTimeouts.NONE);
        LocalSite site = new LocalSite(null, Runnable::run);
        this.exchanges = new HttpExchanges(new ExchangeServices(
                pipeline,
                upstream,
                new AuditTrail(audit.gate(), audit.writer(), "mitm"),
                new BodyBudget(1L << 28),
                new RedactionRegistry(REDACTION, System::nanoTime),
                () -> settings,
                new ExchangeIds(),
                () -> site,
                new Rechecks(pipeline, List.of())));
        this.watch = new SecretWatch(setup.store().open());
    }

    /** A harness for the {@code transforms} of a configuration, in YAML. Other sections may stand there too. */
    public static Builder of(String yaml) {
        return new Builder(yaml);
    }

    /**
     * Sends a request and waits for its whole outcome.
     *
     * @throws AssertionError when it does not end within 30 seconds
     */
    public ExchangeResult send(TestRequest request) {
        return request.visibility() == Visibility.FULL ? exchange(request) : hostOnly(request);
    }

    private ExchangeResult exchange(TestRequest request) {
        ClientSide client = new ClientSide(loop);
        loop.execute(() -> {
            try {
                begin(request, client);
            } catch (RuntimeException | Error failure) {
                client.done().completeExceptionally(failure);
            }
        });
        Waiting.forResult(client.done(), request.toString());
        String line = audit.next();
        ForwardedRequest sent = onLoop(upstream::takeLast);
        return new ExchangeResult(
                sent,
                client.status(),
                client.headers(),
                client.content(),
                client.trailers(),
                client.complete(),
                Json.object(line),
                line);
    }

    private void begin(TestRequest request, ClientSide client) {
        Exchanges.Permit permit = permit(request.destination(), request.principal());
        RequestMessage head = new RequestMessage(
                request.method(),
                request.path(),
                request.query(),
                request.headers().block(),
                request.length());
        ClientStreamListener upload = permit.begin(client, head, request.destination(), null);
        for (byte[] piece : request.pieces()) {
            loop.execute(() -> upload.onData(Unpooled.wrappedBuffer(piece)));
        }
        loop.execute(() -> upload.onEnd(request.trailers().block()));
    }

    private Exchanges.Permit permit(Destination destination, Principal principal) {
        Exchanges.Permit permit =
                exchanges.client(connection(destination, principal)).tryPermit(loop, () -> {});
        if (permit == null) {
            throw new AssertionError("no audit permit left");
        }
        return permit;
    }

    private ExchangeResult hostOnly(TestRequest request) {
        PassedSide client = new PassedSide(loop);
        loop.execute(() -> {
            try {
                client.begin(permit(request.destination(), request.principal()), request.destination());
            } catch (RuntimeException | Error failure) {
                client.passed().completeExceptionally(failure);
            }
        });
        boolean passed = Waiting.forResult(client.passed(), request.toString());
        String line = audit.next();
        Map<String, Object> record = Json.object(line);
        int status =
                record.get("audit") instanceof Map<?, ?> audited && audited.get("status_code") instanceof Number code
                        ? code.intValue()
                        : 0;
        return new ExchangeResult(
                passed ? new ForwardedRequest("", "", HeaderLines.NONE, new byte[0], HeaderLines.NONE, true) : null,
                status,
                HeaderLines.NONE,
                new byte[0],
                HeaderLines.NONE,
                true,
                record,
                line);
    }

    /** Asks for a tunnel to {@code host:port}, as CONNECT and SOCKS5 do. */
    public TunnelResult connect(String authority) {
        Destination target = Destinations.fromAuthority(authority, 443, true);
        ClientSide client = new ClientSide(loop);
        boolean open = onLoop(() -> {
            RequestMessage head = new RequestMessage("CONNECT", authority, null, HeaderLines.NONE.block(), 0);
            Exchanges.Tunnel tunnel = permit(target, Principal.anonymous()).connect(client, head, target);
            if (tunnel != null) {
                tunnel.used();
            }
            return tunnel != null;
        });
        if (open) {
            return new TunnelResult(true, 0, "", "");
        }
        Waiting.forResult(client.done(), "CONNECT " + authority);
        audit.next();
        String body = new String(client.content(), StandardCharsets.UTF_8);
        return new TunnelResult(false, client.status(), Json.field(client.headers(), body, "code"), body);
    }

    /** Gives a secret of {@link FakeSecrets} a new value and waits until the engine uses it. */
    public void rotate(String name, String value) {
        setup.secrets().set(name, value);
        Predicate<Secret> taken =
                secret -> secret.available() && secret.value().text().equals(value);
        // The timer for the next reading is set after the last value was told, and may be set after the time has
        // advanced.
        Runnable later = () -> setup.time().advance(Duration.ofHours(1));
        later.run();
        try {
            watch.await(name, taken, later);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** A counter of the transforms: {@code meters().count("judge.decisions", "house", "ALLOW")}. */
    public MeterRegistry meters() {
        return setup.meters();
    }

    /** The clock and timers that the transforms were given. */
    public VirtualTime time() {
        return setup.time();
    }

    /** Stops the harness. The transforms and their resources are closed on a separate thread, as in the proxy. */
    @Override
    public void close() {
        pipeline.close();
        watch.close();
        setup.closeSecrets();
        audit.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    static ConnectionInfo connection(Destination destination, Principal principal) {
        String sni = destination.literal() ? null : destination.host();
        return new ConnectionInfo(
                ListenerKind.TUNNEL,
                new ConnectionInfo.Endpoints(CLIENT, PROXY),
                destination.secure() ? new ConnectionInfo.TlsHandshake(sni, null) : null,
                "http/1.1",
                destination.authority(),
                principal);
    }

    private <T extends @Nullable Object> T onLoop(Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                result.complete(work.get());
            } catch (RuntimeException | Error failure) {
                result.completeExceptionally(failure);
            }
        });
        return Waiting.forResult(result, "the event loop");
    }

    /** Describes a harness. Not thread-safe. */
    public static final class Builder {

        private final HarnessSetup setup;

        private Builder(String yaml) {
            setup = new HarnessSetup(yaml);
        }

        /** The values behind {@code {type: fake, name: ...}}. */
        public Builder secrets(FakeSecrets values) {
            setup.secrets(values);
            return this;
        }

        /** The environment of the proxy, for {@code {type: env, var: ...}}. */
        public Builder environment(Map<String, String> variables) {
            setup.environment(variables);
            return this;
        }

        /** Makes the calls of transforms and sources, for example {@link JdkCaller}; default: every call fails. */
        public Builder http(HttpCaller caller) {
            setup.http(caller);
            return this;
        }

        /** The start of the harness's virtual time; default: 2030-01-01T00:00:00Z. */
        public Builder at(Instant start) {
            setup.at(start);
            return this;
        }

        /** The upstream; default: a 200 with an empty body. */
        public Builder upstream(Upstream script) {
            setup.upstream(script);
            return this;
        }

        /**
         * The origin's address is not a loopback, private or link-local one, so that credentials for it need TLS or the
         * operator's consent.
         */
        public Builder far() {
            setup.far();
            return this;
        }

        /** A factory that is not registered as a service. */
        public Builder factory(TransformFactory<?> factory) {
            setup.factory(factory);
            return this;
        }

        /** One more transform, after those of the configuration. */
        public Builder then(String name, Capabilities capabilities, Transform transform) {
            setup.then(name, capabilities, transform);
            return this;
        }

        /** {@code proxy.max_request_body_bytes}; default 1 MiB. */
        public Builder maxRequestBody(long bytes) {
            setup.maxRequestBody(bytes);
            return this;
        }

        /** How long one decision may take where the transform does not say; default 10 s of real time. */
        public Builder transformTimeout(Duration limit) {
            setup.transformTimeout(limit);
            return this;
        }

        /**
         * Builds the transforms.
         *
         * @throws ConfigProblemsException when the configuration is refused
         */
        public TransformHarness start() {
            var entries = setup.bind();
            TransformHarness harness = new TransformHarness(setup);
            try {
                harness.pipeline.swap(setup.build(entries, harness.loop));
                for (TransformEntry<?> entry : entries) {
                    harness.watch.follow(entry.config());
                }
                return harness;
            } catch (RuntimeException | Error failure) {
                harness.close();
                throw failure;
            }
        }

        /** The problems of the configuration; empty when it can be used. Builds the transforms only if it binds. */
        public List<ConfigProblem> problems() {
            try {
                start().close();
                return List.of();
            } catch (ConfigProblemsException e) {
                return e.problems();
            }
        }
    }
}
