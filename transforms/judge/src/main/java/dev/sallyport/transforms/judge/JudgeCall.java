package dev.sallyport.transforms.judge;

import dev.sallyport.spi.Decision;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.spi.Trace;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One question to a model: the wait for a slot, the call, and the decision. Cancelling what {@link #start} returned
 * abandons it at any stage. Thread-safe.
 */
final class JudgeCall {

    private static final int MAX_REASON = 512;
    private static final int MAX_OUTPUT = 2048;

    private final JudgeConfig config;
    private final int rule;
    private final Breaker breaker;
    private final CallLimiter limiter;
    private final HttpCaller http;
    private final String envelope;
    private final Model model;
    private final Trace trace;
    private final JudgeMeters meters;
    private final CompletableFuture<Decision> result = new CompletableFuture<>();

    private boolean over;
    private AnswerForm form;
    private Breaker.Pass pass = Breaker.Pass.NONE;
    private @Nullable CompletableFuture<Void> place;
    private @Nullable CompletableFuture<HttpReply> call;
    private long askedAt;
    private long calledAt;

    JudgeCall(
            JudgeConfig config,
            int rule,
            Judge.State state,
            HttpCaller http,
            String envelope,
            Model model,
            Trace trace,
            JudgeMeters meters) {
        this.config = config;
        this.rule = rule;
        this.breaker = state.breaker();
        this.limiter = state.limiter();
        this.http = http;
        this.envelope = envelope;
        this.model = model;
        this.form = model.form();
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
        askedAt = System.nanoTime();
        CompletableFuture<Void> asked = limiter.acquire(config.queueTimeout());
        synchronized (this) {
            place = asked;
        }
        asked.whenComplete((got, failure) -> {
            meters.waited(Duration.ofNanos(System.nanoTime() - askedAt));
            if (failure == null) {
                begin();
            } else if (!asked.isCancelled()) {
                fallBack("no call could begin within " + config.queueTimeout().toMillis() + " ms");
            }
        });
        return result;
    }

    /** A slot is free. */
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
        limiter.release();
        if (open) {
            fallBack("the breaker is open");
        }
    }

    private CompletableFuture<HttpReply> called() {
        try {
            Duration left = config.timeout().minusNanos(System.nanoTime() - calledAt);
            return left.isPositive()
                    ? http.call(model.question(envelope, form, left)).toCompletableFuture()
                    : CompletableFuture.failedFuture(new TimeoutException());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Asks again in a form that may be understood, within the same time; returns whether it does. */
    private boolean asksForLess(HttpReply reply) {
        CompletableFuture<HttpReply> again;
        synchronized (this) {
            AnswerForm less = over ? null : model.lessThan(form, reply);
            if (less == null) {
                return false;
            }
            form = less;
            again = called();
            call = again;
        }
        again.whenComplete(this::end);
        return true;
    }

    /** A call has ended, whatever the outcome. */
    private void end(@Nullable HttpReply reply, @Nullable Throwable failure) {
        if (reply != null && asksForLess(reply)) {
            return;
        }
        synchronized (this) {
            if (over) {
                return; // Abandoned; everything has been returned.
            }
            over = true;
        }
        Duration took = Duration.ofNanos(System.nanoTime() - calledAt);
        meters.called(took);
        trace.annotate("duration_ms", took.toMillis());
        // Reports to the breaker before it frees the slot: whoever waits for the slot asks the breaker.
        try {
            Model.Answer answer = answer(reply, failure);
            breaker.succeeded(pass);
            limiter.release();
            decide(answer);
        } catch (NoVerdictException e) {
            boolean tripped = breaker.failed(pass);
            limiter.release();
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
                Model.Answer answer = model.answer(reply);
                model.understands(form);
                return answer;
            } catch (RuntimeException e) {
                // The breaker must hear of every failure; the failure's message may quote the answer.
                throw NoVerdictException.failed(
                        "the answer cannot be read: " + e.getClass().getSimpleName());
            }
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        throw NoVerdictException.failed(
                cause instanceof TimeoutException
                        ? "no answer within " + config.timeout().toMillis() + " ms"
                        : "no answer: " + why(cause));
    }

    /** The engine's own words, where it has any. */
    private static String why(@Nullable Throwable cause) {
        if (cause == null) {
            return "nothing";
        }
        String message = cause instanceof IOException ? cause.getMessage() : null;
        return message == null ? cause.getClass().getSimpleName() : cut(message, MAX_REASON);
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
                        : Decision.reject(403, "judge_denied", "The policy does not allow this request.")
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
                        : Decision.reject(403, "judge_unavailable", "This request cannot be judged at the moment.")
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
            limiter.release();
        } else if (place != null) {
            place.cancel(false);
        }
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }
}
