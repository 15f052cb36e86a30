package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random requests to every operation of the OpenAPI document: whatever is sent, the answer is one that the document has.
 * Reproduce a run with {@code -Dsallyport.fuzz.seed}; {@code -Dsallyport.fuzz.seconds} is how long the long one lasts.
 */
class ApiFuzzTest {

    private static final long SEED = Long.getLong("sallyport.fuzz.seed", 20_260_102L);
    private static final int ROUNDS = Integer.getInteger("sallyport.fuzz.rounds", 60);
    private static final Duration LONG = Duration.ofSeconds(Long.getLong("sallyport.fuzz.seconds", 90L));
    private static final int FAILURES = 20;
    private static final Set<Integer> EXPECTED = Set.of(200, 201, 204, 400, 401, 404, 409, 412, 413, 415, 422);
    private static final int PRINTED = 2000;
    private static final int LARGEST = 2 << 20;

    @Test
    @Tag("long")
    void everyOperationAnswersAsDocumentedWhateverIsSent() throws IOException {
        try (TestControl control = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES)) {
            Run run = new Run(control, SEED);
            run.rounds(ROUNDS);
            while (!run.hasSeenAll() && run.rounds < 4 * ROUNDS) {
                run.rounds(1); // what is rare depends on how many operations share the numbers of the seed
            }
            run.judge();
            assertThat(run.statuses.keySet()).containsAll(EXPECTED);
        }
    }

    @Test
    @Tag("long")
    void manySeedsFindNothing() throws IOException {
        long end = System.nanoTime() + LONG.toNanos();
        Set<Integer> seen = new HashSet<>(); // by all seeds together: the last one ends when the time does
        for (long seed = SEED; System.nanoTime() < end; seed++) {
            try (TestControl control = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES)) {
                Run run = new Run(control, seed);
                while (run.rounds < 20 * ROUNDS && System.nanoTime() < end) {
                    run.rounds(1);
                }
                run.judge();
                seen.addAll(run.statuses.keySet());
            }
        }
        assertThat(seen).containsAll(EXPECTED);
    }

    /** One seed on one control plane. */
    private static final class Run {

        private final TestControl control;
        private final long seed;
        private final FuzzMemory memory;
        private final FuzzRequests requests;
        private final ExchangeRules rules;
        private final Map<String, String> failures = new LinkedHashMap<>();
        private final Map<Integer, Integer> statuses = new TreeMap<>();
        private final LogCapture log = LogCapture.open();
        private int rounds;
        private @Nullable FuzzRequest before;

        Run(TestControl control, long seed) {
            this.control = control;
            this.seed = seed;
            Api api = control.newAccount();
            api.post("/v1/api-keys", "{\"name\": \"second\"}");
            String cursor =
                    api.get("/v1/api-keys?limit=1").json().path("cursor").asText();
            String token = api.post("/v1/proxies", "{\"name\": \"first\"}")
                    .data()
                    .path("token")
                    .asText();
            memory = new FuzzMemory(api.key(), token, List.of(cursor));
            requests = new FuzzRequests(control.contract().document(), new Random(seed), memory);
            rules = new ExchangeRules(control.contract());
        }

        void rounds(int count) throws IOException {
            List<Contract.Operation> operations = control.contract().operations();
            try (Wire wire = new Wire(control.address())) {
                for (int i = 0; i < count && failures.size() < FAILURES; i++) {
                    rounds++;
                    for (Contract.Operation operation : operations) {
                        exchange(wire, operation);
                    }
                }
            }
        }

        private void exchange(Wire wire, Contract.Operation operation) {
            FuzzRequest request = requests.next(operation);
            FuzzRequest earlier = before;
            before = request;
            String what = operation.method() + " " + operation.path();
            try {
                Api.Reply reply = wire.send(
                        request.bytes(control.address().getAuthority()),
                        request.method().equals("HEAD"));
                statuses.merge(reply.status(), 1, Integer::sum);
                Optional<String> problem = rules.problem(request, reply);
                problem.ifPresentOrElse(
                        text -> fail(
                                what + " " + reply.status() + " " + text.replaceAll("(?s):.*", ""),
                                text,
                                request,
                                reply),
                        () -> memory.answered(operation.path(), reply));
            } catch (IOException e) {
                if (request.body() != null && request.body().length > LARGEST) {
                    return; // answered and closed before all of it was read
                }
                fail(what + " " + e, e + (earlier == null ? "" : " after " + command(earlier)), request, null);
            }
        }

        private void fail(String kind, String problem, FuzzRequest request, Api.@Nullable Reply reply) {
            failures.putIfAbsent(
                    kind,
                    kind + "\n  " + problem + "\n  "
                            + (reply == null
                                    ? ""
                                    : reply.text() + " " + reply.headers().map()) + "\n  seed " + seed + ", round "
                            + rounds + ": " + command(request));
        }

        /** The command that sends the request again; a long one stands in a file. */
        private String command(FuzzRequest request) {
            String command = request.curl(memory.key());
            if (command.length() <= PRINTED) {
                return command;
            }
            try {
                Path folder = Files.createDirectories(Path.of("target", "fuzz"));
                return "sh " + Files.writeString(folder.resolve(seed + "-" + failures.size() + ".sh"), command + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        boolean hasSeenAll() {
            return statuses.keySet().containsAll(EXPECTED);
        }

        /** Fails with all that was found. */
        void judge() {
            log.close();
            int operations = control.contract().operations().size();
            System.out.println("fuzz: seed " + seed + ", " + rounds + " rounds of " + operations
                    + " operations, answers by status " + statuses);
            assertThat(failures.values())
                    .as("with URL=http://127.0.0.1:PORT and KEY=sp_live_...")
                    .isEmpty();
            assertThat(log.warnings()).isEmpty();
            String logged = log.text();
            Set<String> secrets = memory.secrets();
            assertThat(secrets).hasSizeGreaterThan(10);
            secrets.forEach(
                    secret -> assertThat(logged).as("the log, seed " + seed).doesNotContain(secret));
        }
    }
}
