package dev.sallyport.transforms.grpc;

import dev.sallyport.grpc.OperatorChannel;
import dev.sallyport.grpc.ServerAddress;
import dev.sallyport.spi.Connector;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a server, shared by all instances that name the server with the same TLS material. The first call
 * opens it. Thread-safe.
 */
final class ServerChannel implements AutoCloseable {

    /**
     * How long after a call that failed for lack of a connection the next attempt is made. gRPC's own pause grows to
     * two minutes; it applies while there are no calls.
     */
    private static final Duration RECONNECT = Duration.ofMillis(100);

    /** Servers close connections that are pinged more often than every five minutes. */
    private static final Duration PING = Duration.ofMinutes(6);

    private static final Duration PONG = Duration.ofSeconds(10);

    /** A silent connection is abandoned at most this often. */
    private static final Duration RENEWAL = Duration.ofSeconds(1);

    /** How soon a connection without calls notices that a reload has changed the way to the server. */
    private static final Duration FOLLOW = Duration.ofSeconds(1);

    private static final Map<String, ?> SERVICE_CONFIG = Map.of(
            // The load-balancing policy that checks the health of a server (gRFC A17).
            "loadBalancingConfig", List.of(Map.of("round_robin", Map.of())),
            "healthCheckConfig", Map.of("serviceName", ""));

    /**
     * Logs at level SEVERE that a server offers no health check, which is no error. Referenced so that it is not
     * collected.
     */
    private static final Logger HEALTH =
            Logger.getLogger("io.grpc.protobuf.services.HealthCheckingLoadBalancerFactory");

    static {
        HEALTH.setLevel(Level.OFF);
    }

    /** Two instances with equal keys share a channel. */
    record Key(Target target, String tls) {}

    /** The limits of one call; sizes in bytes. */
    record Limits(Duration timeout, int maxQuestion, int maxAnswer) {}

    private final ScheduledExecutorService scheduler;
    private final OperatorChannel channel;
    private final ScheduledFuture<?> following;
    private final AtomicBoolean reconnecting = new AtomicBoolean();
    private final AtomicLong heardAt = new AtomicLong(System.nanoTime());

    ServerChannel(ServerAddress server, TlsMaterial tls, Connector connector, ScheduledExecutorService scheduler) {
        this.scheduler = scheduler;
        this.channel = new OperatorChannel(
                server,
                tls.credentials(),
                connector,
                Thread::startVirtualThread,
                builder -> builder.defaultServiceConfig(SERVICE_CONFIG)
                        .keepAliveTime(PING.toSeconds(), TimeUnit.SECONDS)
                        .keepAliveTimeout(PONG.toSeconds(), TimeUnit.SECONDS));
        this.following = scheduler.scheduleWithFixedDelay(
                channel::follow, FOLLOW.toMillis(), FOLLOW.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Calls once. The future fails with {@link CallFailedException}; cancelling it cancels the call. */
    <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q question, Limits limits) {
        long began = System.nanoTime();
        ClientCall<Q, A> call = channel.newCall(
                method,
                CallOptions.DEFAULT
                        .withDeadlineAfter(limits.timeout().toNanos(), TimeUnit.NANOSECONDS)
                        .withMaxInboundMessageSize(limits.maxAnswer())
                        .withMaxOutboundMessageSize(limits.maxQuestion()));
        Answer<A> answer = new Answer<>(began, limits.timeout());
        answer.result.whenComplete((value, failure) -> {
            if (answer.result.isCancelled()) {
                call.cancel("the client has left", null);
            }
        });
        ClientCalls.asyncUnaryCall(call, question, answer);
        return answer.result;
    }

    /** Receives the outcome of a call. */
    private final class Answer<A> implements StreamObserver<A> {

        private final CompletableFuture<A> result = new CompletableFuture<>();
        private final long began;
        private final Duration limit;
        private @Nullable A value;

        Answer(long began, Duration limit) {
            this.began = began;
            this.limit = limit;
        }

        @Override
        public void onNext(A message) {
            value = message;
        }

        @Override
        public void onError(Throwable failure) {
            Status status = Status.fromThrowable(failure);
            failed(status.getCode(), began);
            boolean late =
                    status.getCode() == Status.Code.DEADLINE_EXCEEDED && System.nanoTime() - began >= limit.toNanos();
            result.completeExceptionally(late ? CallFailedException.late(limit) : new CallFailedException(status));
        }

        @Override
        public void onCompleted() {
            heardAt.set(System.nanoTime());
            A message = value;
            if (message == null) {
                result.completeExceptionally(
                        new CallFailedException(Status.INTERNAL.withDescription("the call ended without an answer")));
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

    /** Calls need a connection and there is none: does not wait for gRPC's next attempt. */
    private void reconnectSoon() {
        if (channel.channel().getState(false) != ConnectivityState.TRANSIENT_FAILURE
                || !reconnecting.compareAndSet(false, true)) {
            return;
        }
        try {
            scheduler.schedule(
                    () -> {
                        reconnecting.set(false);
                        channel.channel().resetConnectBackoff();
                    },
                    RECONNECT.toMillis(),
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            reconnecting.set(false); // The proxy is shutting down.
        }
    }

    /**
     * A connection on which nothing arrived while a call timed out may be dead, which TCP would not report for minutes:
     * further calls get a new connection, for which the name is resolved again.
     */
    private void renewIfSilent(long began) {
        long heard = heardAt.get();
        long now = System.nanoTime();
        if (heard < began && now - heard > RENEWAL.toNanos() && heardAt.compareAndSet(heard, now)) {
            channel.channel().enterIdle();
        }
    }

    @Override
    public void close() {
        following.cancel(false);
        channel.close();
    }
}
