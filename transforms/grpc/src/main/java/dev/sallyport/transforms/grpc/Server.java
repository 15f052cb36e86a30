package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.Decision;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.Trace;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One direction of one instance: asks the server and turns the outcome into a decision. Thread-safe. */
final class Server {

    /** The size allowed for a message in addition to the body: heads, annotations. */
    private static final int ROOM = 1 << 20;

    private final String name;
    private final ServerChannel channel;
    private final CallMeters meters;
    private final String direction;
    private final ServerChannel.Limits limits;

    private Server(
            String name, ServerChannel channel, CallMeters meters, String direction, ServerChannel.Limits limits) {
        this.name = name;
        this.channel = channel;
        this.meters = meters;
        this.direction = direction;
        this.limits = limits;
    }

    static Server of(GrpcConfig config, ServerChannel channel, CallMeters meters, String direction, long maxBody) {
        int size = (int) Math.min(Integer.MAX_VALUE, Math.min(maxBody, Integer.MAX_VALUE) + ROOM);
        return new Server(
                config.name(), channel, meters, direction, new ServerChannel.Limits(config.timeout(), size, size));
    }

    /** Turns an answer into a decision. */
    @FunctionalInterface
    interface Reader<A, D> {
        D read(A answer) throws InvalidAnswerException;
    }

    /** The decisions for a missing answer and for an unusable one. */
    interface Failures<D> {
        D of(String code, String detail);
    }

    /** Asks once. Cancelling the future cancels the call. */
    <Q, A, D> CompletableFuture<D> ask(
            MethodDescriptor<Q, A> method, Q question, Trace trace, Reader<A, D> reader, Failures<D> failures) {
        long began = System.nanoTime();
        CompletableFuture<A> call = channel.call(method, question, limits);
        CompletableFuture<D> decision = call.handle((answer, failure) -> {
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            Outcome<D> outcome =
                    answer == null ? failed(failure, trace, failures) : read(answer, trace, reader, failures);
            // Written last, so that no annotation of the server overwrites them.
            trace.annotate("instance", name);
            trace.annotate("duration_ms", took.toMillis());
            meters.called(direction, outcome.label(), took);
            return outcome.decision();
        });
        decision.whenComplete((decided, failure) -> {
            if (decision.isCancelled()) {
                call.cancel(true);
            }
        });
        return decision;
    }

    private record Outcome<D>(String label, D decision) {}

    private static <A, D> Outcome<D> read(A answer, Trace trace, Reader<A, D> reader, Failures<D> failures) {
        try {
            D decision = reader.read(answer);
            boolean rejected = decision instanceof Decision.Reject || decision instanceof ResponseDecision.Refuse;
            return new Outcome<>(rejected ? "reject" : "continue", decision);
        } catch (InvalidAnswerException e) {
            trace.annotate("error", "the answer cannot be used: " + e.getMessage());
            return new Outcome<>("invalid", invalid(failures));
        }
    }

    /** The decision for an answer that cannot be used. */
    static <D> D invalid(Failures<D> failures) {
        return failures.of("transform_answer_invalid", "The policy service gave an unusable answer.");
    }

    private static <D> Outcome<D> failed(@Nullable Throwable failure, Trace trace, Failures<D> failures) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        D decision = failures.of("transform_unavailable", "The policy service cannot be asked now.");
        if (cause instanceof CallFailedException failed) {
            trace.annotate("error", String.valueOf(failed.getMessage()));
            return new Outcome<>(failed.code().name().toLowerCase(Locale.ROOT), decision);
        }
        trace.annotate("error", cause == null ? "no answer" : cause.getClass().getSimpleName());
        return new Outcome<>("cancelled", decision);
    }
}
