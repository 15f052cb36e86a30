package dev.sallyport.transforms.judge;

import dev.sallyport.spi.Decision;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.spi.Trace;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One question to a model: from the wait for a slot, through the call, to the decision. Cancelling what {@link #start}
 * returned gives it up wherever it is. Thread-safe.
 */
final class Inquiry {

    private static final int MAX_REASON = 512;
    private static final int MAX_OUTPUT = 2048;

    private final JudgeConfig config;
    private final int rule;
    private final Breaker breaker;
    private final Slots slots;
    private final HttpCaller http;
    private final HttpCall question;
    private final Model model;
    private final Trace trace;
    private final JudgeMeters meters;
    private final CompletableFuture<Decision> result = new CompletableFuture<>();

    private boolean over;
    private Breaker.Pass pass = Breaker.Pass.NONE;
    private @Nullable CompletableFuture<Void> place;
    private @Nullable CompletableFuture<HttpReply> call;
    private long calledAt;

    Inquiry(
            JudgeConfig config,
            int rule,
            Judge.State state,
            HttpCaller http,
            HttpCall question,
            Model model,
            Trace trace,
            JudgeMeters meters) {
        this.config = config;
        this.rule = rule;
        this.breaker = state.breaker();
        this.slots = state.slots();
        this.http = http;
        this.question = question;
        this.model = model;
        this.trace = trace;
        this.meters = meters;
    }

    /** Asks; once. */
    CompletableFuture<Decision> start() {
        trace.annotate("instance", config.name());
        trace.annotate("model", config.provider().model());
        result.whenComplete((decision, failure) -> {
            if (result.isCancelled()) {
                giveUp();
            }
        });
        if (!breaker.mayEnter()) {
            fallBack("the breaker is open");
            return result;
        }
        CompletableFuture<Void> asked = slots.acquire(config.queueTimeout());
        synchronized (this) {
            place = asked;
        }
        asked.whenComplete((got, failure) -> {
            if (failure == null) {
                begin();
            } else if (!asked.isCancelled()) {
                fallBack("no call could begin within " + config.queueTimeout().toMillis() + " ms");
            }
        });
        return result;
    }

    /** There is a slot. */
    private void begin() {
        boolean open;
        synchronized (this) {
            pass = over ? Breaker.Pass.NONE : breaker.enter();
            open = !over && pass == Breaker.Pass.NONE;
            over |= open;
            calledAt = System.nanoTime();
            if (!over) {
                call = called();
            }
        }
        CompletableFuture<HttpReply> begun = call;
        if (begun != null) {
            begun.whenComplete(this::end);
            return;
        }
        slots.release();
        if (open) {
            fallBack("the breaker is open");
        }
    }

    private CompletableFuture<HttpReply> called() {
        try {
            return http.call(question).toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The call has ended, in whatever way. */
    private void end(@Nullable HttpReply reply, @Nullable Throwable failure) {
        synchronized (this) {
            if (over) {
                return; // given up, and everything returned
            }
            over = true;
        }
        Duration took = Duration.ofNanos(System.nanoTime() - calledAt);
        meters.called(took);
        trace.annotate("duration_ms", took.toMillis());
        // The breaker first: whoever waits for the slot asks it.
        try {
            Model.Answer answer = answer(reply, failure);
            breaker.succeeded(pass);
            slots.release();
            decide(answer);
        } catch (NoVerdictException e) {
            boolean tripped = breaker.failed(pass);
            slots.release();
            if (!e.output().isEmpty()) {
                trace.annotate("raw_output", cut(e.output(), MAX_OUTPUT));
            }
            if (tripped) {
                trace.annotate("circuit_breaker_tripped", true);
                meters.tripped();
            }
            fallBack(String.valueOf(e.getMessage()));
        }
    }

    private Model.Answer answer(@Nullable HttpReply reply, @Nullable Throwable failure) throws NoVerdictException {
        if (reply != null) {
            try {
                return model.answer(reply);
            } catch (RuntimeException e) {
                // Nothing may keep the breaker from hearing of it; what it says may quote the answer.
                throw NoVerdictException.failed(
                        "an answer that cannot be read: " + e.getClass().getSimpleName());
            }
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        throw NoVerdictException.failed(
                cause instanceof TimeoutException
                        ? "no answer within " + config.timeout().toMillis() + " ms"
                        : "no answer: "
                                + (cause == null ? "nothing" : cause.getClass().getSimpleName()));
    }

    private void decide(Model.Answer answer) {
        Verdict verdict = answer.verdict();
        decided(verdict.allowed() ? "ALLOW" : "DENY");
        meters.tokens(answer.inputTokens(), answer.outputTokens());
        trace.annotate("reason", cut(verdict.reason(), MAX_REASON));
        if (answer.inputTokens() >= 0) {
            trace.annotate("input_tokens", answer.inputTokens());
        }
        if (answer.outputTokens() >= 0) {
            trace.annotate("output_tokens", answer.outputTokens());
        }
        result.complete(
                verdict.allowed()
                        ? Decision.proceed()
                        : Decision.reject(403, "judge_denied", "This request is against the policy for it.")
                                .byRule(rule));
    }

    private void decided(String decision) {
        trace.annotate("decision", decision);
        meters.decided(decision);
    }

    private void fallBack(String problem) {
        boolean skip = config.fallback() == JudgeConfig.Fallback.SKIP;
        decided(skip ? "FALLBACK_ALLOW" : "FALLBACK_DENY");
        trace.annotate("fallback_applied", skip ? "skip" : "deny");
        trace.annotate("error", problem);
        result.complete(
                skip
                        ? Decision.proceed()
                        : Decision.reject(403, "judge_unavailable", "This request cannot be judged now.")
                                .byRule(rule));
    }

    /** The client has left. */
    private void giveUp() {
        CompletableFuture<HttpReply> begun;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            begun = call;
        }
        if (begun != null) {
            begun.cancel(true);
            breaker.abandoned(pass);
            slots.release();
        } else if (place != null) {
            place.cancel(false);
        }
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }
}
