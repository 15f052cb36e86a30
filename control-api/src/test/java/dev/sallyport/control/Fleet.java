package dev.sallyport.control;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Many proxies, as far as the wire goes: each follows, applies at once, and comes again as proxies do. */
final class Fleet implements AutoCloseable {

    private static final long FIRST_MILLIS = 500;
    private static final long LAST_MILLIS = 30_000;

    private final URI address;
    private final List<Member> members = new ArrayList<>();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean closed;

    Fleet(URI address, List<String> tokens) {
        this.address = address;
        tokens.forEach(token -> members.add(new Member(token)));
        members.forEach(member -> member.thread.start());
    }

    /** A proxy. */
    final class Member {
        private final String token;
        private final Thread thread = Thread.ofVirtual().unstarted(this::run);
        private final NavigableMap<Integer, Long> receipts = new ConcurrentSkipListMap<>();
        private volatile @Nullable FeedStream stream;
        private volatile JsonNode held = Api.tree("{}");
        private volatile int rules;
        private volatile String last = "nothing";
        private final AtomicInteger greetings = new AtomicInteger();

        Member(String token) {
            this.token = token;
        }

        private void run() {
            long bound = FIRST_MILLIS;
            while (!closed) {
                long least = 0;
                try {
                    last = "connecting since " + Instant.now();
                    FeedStream.Opening opening = connect();
                    last = "answered " + opening.status() + " " + Instant.now();
                    if (opening.stream() == null) {
                        refused.incrementAndGet();
                        least = opening.retryAfter().isEmpty()
                                ? 0
                                : TimeUnit.SECONDS.toMillis(Long.parseLong(opening.retryAfter()));
                    } else {
                        follow(opening.stream());
                        bound = FIRST_MILLIS;
                    }
                } catch (IOException | UncheckedIOException e) {
                    least = 0; // it is away
                    last = e + " " + Instant.now();
                } catch (InterruptedException e) {
                    return;
                }
                try {
                    TimeUnit.MILLISECONDS.sleep(
                            least + ThreadLocalRandom.current().nextLong(bound + 1));
                } catch (InterruptedException e) {
                    return;
                }
                bound = Math.min(LAST_MILLIS, bound * 2);
            }
        }

        private FeedStream.Opening connect() throws IOException, InterruptedException {
            String hash = held.path("hash").asText();
            return hash.isEmpty()
                    ? FeedStream.connect(address, token)
                    : FeedStream.connect(
                            address,
                            token,
                            "Last-Event-ID",
                            held.path("epoch").asText() + ":"
                                    + held.path("revision").asText(),
                            "Sallyport-Snapshot",
                            hash);
        }

        private void follow(FeedStream opened) throws InterruptedException {
            stream = opened;
            try (opened) {
                for (FeedStream.Event event = opened.next(); !event.name().equals("end"); event = opened.next()) {
                    last = event.name() + " " + Instant.now();
                    switch (event.name()) {
                        case "snapshot" -> {
                            held = event.data();
                            rules = event.pipeline()
                                    .at("/transforms/0/config/rules")
                                    .size();
                            receipts.putIfAbsent(rules, System.nanoTime());
                            greetings.incrementAndGet();
                            opened.acknowledge(event);
                        }
                        case "current" -> greetings.incrementAndGet();
                        default -> {
                            // it lives
                        }
                    }
                }
            }
        }

        /**
         * When it had so many rules, as {@link System#nanoTime} tells it; 0 for not yet. A snapshot may hold later changes
         * than the one whose number it has, and a change that brings nothing new brings no snapshot.
         */
        long receipt(int count) {
            var first = receipts.ceilingEntry(count);
            return first == null ? 0 : first.getValue();
        }

        /** How many rules it has. */
        int rules() {
            return rules;
        }
    }

    List<Member> members() {
        return members;
    }

    /** How often one was told to come later. */
    int refused() {
        return refused.get();
    }

    /** Waits until each has been told what it is to have, so many times more than before. */
    void awaitGreetings(int[] before, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (int i = 0; i < members.size(); i++) {
            while (members.get(i).greetings.get() <= before[i]) {
                pause(end, () -> "not served: " + unserved(before));
            }
        }
    }

    private String unserved(int[] before) {
        return IntStream.range(0, before.length)
                .filter(i -> members.get(i).greetings.get() <= before[i])
                .mapToObj(i -> i + ": " + members.get(i).last)
                .limit(20)
                .collect(Collectors.joining("; "));
    }

    /** How often each has been told what it is to have. */
    int[] greetings() {
        return members.stream().mapToInt(member -> member.greetings.get()).toArray();
    }

    /** Waits until all have so many rules. */
    void awaitRules(int count, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (Member member : members) {
            while (member.receipt(count) == 0) {
                pause(end, () -> "a change was lost");
            }
        }
    }

    private static void pause(long end, Supplier<String> words) throws InterruptedException {
        if (System.nanoTime() > end) {
            throw new AssertionError(words.get());
        }
        TimeUnit.MILLISECONDS.sleep(5);
    }

    @Override
    public void close() {
        closed = true;
        members.forEach(member -> member.thread.interrupt());
        members.forEach(member -> {
            FeedStream open = member.stream;
            if (open != null) {
                open.close();
            }
        });
    }
}
