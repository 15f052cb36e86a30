package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.AddressResolver;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.okhttp.OkHttpChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The one connection to a server that all instances share which name it with the same TLS material. It is opened by the
 * first call. Thread-safe.
 */
final class ServerChannel implements AutoCloseable {

    /**
     * How long after a call that failed for want of a connection the next one is tried. gRPC's own pause grows to two
     * minutes; without calls it is left to that.
     */
    private static final Duration RECONNECT = Duration.ofMillis(100);

    /** Servers end connections that are pinged more often than every five minutes. */
    private static final Duration PING = Duration.ofMinutes(6);

    private static final Duration PONG = Duration.ofSeconds(10);

    /** A silent connection is not given up more often than this. */
    private static final Duration RENEWAL = Duration.ofSeconds(1);

    private static final Map<String, ?> SERVICE_CONFIG = Map.of(
            // The policy that asks for the health of a server (gRFC A17).
            "loadBalancingConfig", List.of(Map.of("round_robin", Map.of())),
            "healthCheckConfig", Map.of("serviceName", ""));

    /** Says at level SEVERE that a server offers no health check, which is no fault. Held, or it would be collected. */
    private static final Logger HEALTH =
            Logger.getLogger("io.grpc.protobuf.services.HealthCheckingLoadBalancerFactory");

    static {
        HEALTH.setLevel(Level.OFF);
    }

    /** What decides whether two instances share a channel. */
    record Key(Target target, String tls) {}

    /** The limits of one call; sizes in bytes. */
    record Limits(Duration timeout, int maxQuestion, int maxAnswer) {}

    private final ScheduledExecutorService scheduler;
    private final ManagedChannel channel;
    private final AtomicBoolean reconnecting = new AtomicBoolean();
    private final AtomicLong heardAt = new AtomicLong(System.nanoTime());

    @SuppressWarnings("deprecation") // a registry of its own is what a channel can be given in no other way
    ServerChannel(Target target, TlsMaterial tls, AddressResolver resolver, ScheduledExecutorService scheduler) {
        this.scheduler = scheduler;
        this.channel = OkHttpChannelBuilder.forTarget(EngineNames.ANY, tls.credentials())
                .nameResolverFactory(new EngineNames(target, resolver))
                .proxyDetector(address -> null)
                .disableServiceConfigLookUp()
                .defaultServiceConfig(SERVICE_CONFIG)
                .keepAliveTime(PING.toSeconds(), TimeUnit.SECONDS)
                .keepAliveTimeout(PONG.toSeconds(), TimeUnit.SECONDS)
                .userAgent("sallyport")
                .executor(Thread::startVirtualThread)
                .build();
    }

    /** Calls once. The future fails with {@link CallFailedException}; cancelling it gives the call up. */
    <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q question, Limits limits) {
        long began = System.nanoTime();
        ClientCall<Q, A> call = channel.newCall(
                method,
                CallOptions.DEFAULT
                        .withDeadlineAfter(limits.timeout().toNanos(), TimeUnit.NANOSECONDS)
                        .withMaxInboundMessageSize(limits.maxAnswer())
                        .withMaxOutboundMessageSize(limits.maxQuestion()));
        Answer<A> answer = new Answer<>(began);
        answer.result.whenComplete((value, failure) -> {
            if (answer.result.isCancelled()) {
                call.cancel("the client has left", null);
            }
        });
        ClientCalls.asyncUnaryCall(call, question, answer);
        return answer.result;
    }

    /** Takes what a call brings. */
    private final class Answer<A> implements StreamObserver<A> {

        private final CompletableFuture<A> result = new CompletableFuture<>();
        private final long began;
        private @Nullable A value;

        Answer(long began) {
            this.began = began;
        }

        @Override
        public void onNext(A message) {
            value = message;
        }

        @Override
        public void onError(Throwable failure) {
            Status status = Status.fromThrowable(failure);
            failed(status.getCode(), began);
            result.completeExceptionally(new CallFailedException(status));
        }

        @Override
        public void onCompleted() {
            heardAt.set(System.nanoTime());
            A message = value;
            if (message == null) {
                result.completeExceptionally(
                        new CallFailedException(Status.INTERNAL.withDescription("ended without an answer")));
            } else {
                result.complete(message);
            }
        }
    }

    private void failed(Status.Code code, long began) {
        switch (code) {
            case UNAVAILABLE -> reconnectSoon();
            case DEADLINE_EXCEEDED -> renewIfSilent(began);
            case CANCELLED -> {} // by us
            default -> heardAt.set(System.nanoTime());
        }
    }

    /** Calls want a connection and there is none: does not wait for gRPC's next attempt. */
    private void reconnectSoon() {
        if (channel.getState(false) != ConnectivityState.TRANSIENT_FAILURE
                || !reconnecting.compareAndSet(false, true)) {
            return;
        }
        try {
            scheduler.schedule(
                    () -> {
                        reconnecting.set(false);
                        channel.resetConnectBackoff();
                    },
                    RECONNECT.toMillis(),
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            reconnecting.set(false); // the proxy is about to end
        }
    }

    /**
     * A connection on which nothing has come while a call ran out of time may be a dead one, which TCP would not tell for
     * minutes: further calls get a new one, found anew by name.
     */
    private void renewIfSilent(long began) {
        long heard = heardAt.get();
        long now = System.nanoTime();
        if (heard < began && now - heard > RENEWAL.toNanos() && heardAt.compareAndSet(heard, now)) {
            channel.enterIdle();
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
