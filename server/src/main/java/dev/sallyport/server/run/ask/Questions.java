package dev.sallyport.server.run.ask;

import dev.sallyport.server.terminal.Palette;
import dev.sallyport.spi.Destination;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks about requests that would be refused: one question at a time, one for requests that are alike, few in all. What
 * was answered holds until the program ends. Thread-safe.
 */
public final class Questions {

    /** The longest time that a request waits for its turn and its answer. */
    public static final long PATIENCE_SECONDS = 120;

    private static final Logger LOG = LoggerFactory.getLogger(Questions.class);

    /** A person who has answered so many gets no more. */
    private static final int MOST = 100;

    private static final int MOST_WAITING = 16;

    /** What cannot be shown whole is not asked. */
    private static final int LONGEST = 500;

    /** So many destinations that nobody was asked about are named at the end. */
    private static final int MOST_NAMED = 50;

    /** For so long nobody is asked after nobody could be asked. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Prompt prompt;
    private final BlockingQueue<Asked> queue = new LinkedBlockingQueue<>();

    // Guarded by this.
    private final Map<Question, CompletableFuture<Answer>> waiting = new HashMap<>();
    private final Set<Question> allowed = new LinkedHashSet<>();
    private final Set<Destination> refused = new LinkedHashSet<>();
    private final Map<String, String> notAsked = new LinkedHashMap<>();
    private int asked;
    private boolean begun;

    // On the thread that asks.
    private Answer failure = Answer.YES;
    private long failedNanos;

    private record Asked(
            Question question, List<String> credentials, CompletableFuture<Answer> answer, long sinceNanos) {}

    /** @param prompt called on one thread */
    public Questions(Prompt prompt) {
        this.prompt = prompt;
    }

    /** Whether the answer to a question about this destination may still be yes. */
    public synchronized boolean mayAllow(Destination destination) {
        return !refused.contains(destination);
    }

    /**
     * Asks, unless the answer is known. Does not block.
     *
     * @param credentials see {@link Prompt#put}
     */
    public synchronized CompletableFuture<Answer> ask(Question question, List<String> credentials) {
        if (allowed.contains(question)) {
            return CompletableFuture.completedFuture(Answer.YES);
        }
        if (refused.contains(question.destination())) {
            return CompletableFuture.completedFuture(Answer.no("It was refused at the terminal."));
        }
        CompletableFuture<Answer> pending = waiting.get(question);
        if (pending != null) {
            return pending;
        }
        String hindrance = question.text().length() > LONGEST
                ? "the request is too long to be shown"
                : waiting.size() >= MOST_WAITING || asked >= MOST ? "there are too many questions" : "";
        if (!hindrance.isEmpty()) {
            return CompletableFuture.completedFuture(noted(question, Answer.notAsked(hindrance)));
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        waiting.put(question, answer);
        queue.add(new Asked(question, List.copyOf(credentials), answer, System.nanoTime()));
        if (!begun) {
            begun = true;
            Thread.ofPlatform().daemon().name("sallyport-questions").start(this::work);
        }
        return answer;
    }

    /** Notes that a question is not to be asked, and why. */
    public synchronized Answer decline(Question question, String reason) {
        return noted(question, Answer.notAsked(reason));
    }

    private void work() {
        try {
            while (true) {
                Asked next = queue.take();
                Answer answer;
                try {
                    answer = answer(next);
                } catch (RuntimeException e) {
                    LOG.error("a question could not be asked", e);
                    answer = Answer.notAsked("the question failed");
                }
                settle(next, answer);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Answer answer(Asked next) throws InterruptedException {
        if (!mayAllow(next.question().destination())) {
            return Answer.no("It was refused at the terminal.");
        }
        long now = System.nanoTime();
        if (now - next.sinceNanos() > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS) / 2) {
            return Answer.notAsked("others were asked about too long");
        }
        if (failure.kind() == Answer.Kind.NOT_ASKED && now - failedNanos < PAUSE_NANOS) {
            return failure;
        }
        Answer answer = prompt.put(next.question(), next.credentials());
        failure = answer;
        failedNanos = System.nanoTime();
        return answer;
    }

    private void settle(Asked done, Answer answer) {
        synchronized (this) {
            waiting.remove(done.question());
            noted(done.question(), answer);
        }
        done.answer().complete(answer);
    }

    /** The lock is held. */
    private Answer noted(Question question, Answer answer) {
        switch (answer.kind()) {
            case YES -> {
                allowed.add(question);
                asked++;
            }
            case NO -> {
                if (refused.add(question.destination())) {
                    asked++;
                }
            }
            case NOT_ASKED -> {
                if (notAsked.size() < MOST_NAMED) {
                    notAsked.putIfAbsent(question.origin(), answer.reason());
                }
            }
        }
        return answer;
    }

    /** What was answered, for people; empty when there was nothing to ask. */
    public synchronized List<String> summary() {
        List<String> lines = new ArrayList<>();
        allowed.forEach(question -> lines.add("  let through  " + Palette.clean(question.text())));
        refused.forEach(destination -> lines.add("  refused  " + Palette.clean(destination.authority())));
        notAsked.forEach((origin, reason) -> lines.add("  not asked  " + Palette.clean(origin) + "; " + reason));
        if (!lines.isEmpty()) {
            lines.addFirst("asked at the terminal:");
        }
        return lines;
    }
}
