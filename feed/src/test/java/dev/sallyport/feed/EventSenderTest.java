package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.MutableAuditRecord;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Deliveries to a control plane that answers as a test says. */
@Timeout(60)
class EventSenderTest {

    @TempDir
    Path folder;

    private final List<JsonNode> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger holds = new AtomicInteger();
    private volatile String retryAfter = "";
    private volatile Function<JsonNode, Answer> answers = EventSenderTest::received;
    private HttpServer server;
    private ControlPlaneConnection connection;
    private EventSpool spool;
    private EventSink sink;
    private EventSender sender;

    private record Answer(int status, String body) {}

    /** What a control plane answers that ends before it does. */
    private static final Answer NONE = new Answer(0, "");

    private static Answer received(JsonNode request) {
        return new Answer(
                200,
                "{\"position\":"
                        + (request.path("first").asLong()
                                + request.path("events").size()
                                - 1) + "}");
    }

    private static Answer error(int status, String code) {
        return new Answer(status, "{\"error\":{\"code\":\"" + code + "\",\"message\":\"m\"}}");
    }

    private final class Taps implements AuditTaps {

        @Override
        public void sink(AuditSink added) {}

        @Override
        public int slots() {
            return 1_000;
        }

        @Override
        public Runnable hold() {
            holds.incrementAndGet();
            return holds::decrementAndGet;
        }

        @Override
        public Runnable hold(String organization) {
            return hold();
        }

        @Override
        public Runnable listen(AuditListener listener) {
            return () -> {};
        }
    }

    @BeforeEach
    void begin() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/feed/events", this::answer);
        server.start();
        ControlPlaneConfig config = ControlPlanes.at(server.getAddress().getPort());
        connection = ControlPlaneConnection.to(config, "token", Duration.ofSeconds(10));
        use(FileSpool.open(folder.resolve("spool"), connection.identity(), 1 << 20));
    }

    private void use(EventSpool newSpool) {
        spool = newSpool;
        sink = new EventSink(new Taps(), EventAccounts.OF_THE_PROXY);
        sink.begin(spool);
        sender = new EventSender(spool, sink, connection);
    }

    private void answer(HttpExchange exchange) throws IOException {
        boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        try (InputStream body = packed ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody()) {
            JsonNode request = Pipelines.JSON.readTree(body.readAllBytes());
            requests.add(request);
            Answer answer = answers.apply(request);
            if (answer.equals(NONE)) {
                return; // the connection ends
            }
            byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
            if (answer.status() == 429) {
                exchange.getResponseHeaders().set("Retry-After", retryAfter);
            }
            exchange.sendResponseHeaders(answer.status(), text.length);
            exchange.getResponseBody().write(text);
        } finally {
            exchange.close();
        }
    }

    @AfterEach
    void end() throws Exception {
        sender.close();
        sink.close();
        connection.close();
        server.stop(0);
    }

    private void add(String... names) throws IOException {
        for (String name : names) {
            spool.append(1, ("{\"host\":\"" + name + "\"}").getBytes(StandardCharsets.UTF_8));
        }
        sink.flush();
    }

    private List<String> hosts() {
        List<String> all = new ArrayList<>();
        requests.forEach(request -> all.addAll(request.findValuesAsText("host")));
        return all;
    }

    private void untilEmpty() {
        await().until(() -> spool.bytes() == 0);
    }

    @Test
    void eventsAreDeliveredWithEpochAndNumber() throws Exception {
        add("a", "b");
        sender.start();
        untilEmpty();
        add("c");
        untilEmpty();

        assertThat(hosts()).containsExactly("a", "b", "c");
        assertThat(requests.getFirst().path("first").asLong()).isZero();
        assertThat(requests.getLast().path("first").asLong()).isEqualTo(2);
        assertThat(requests.getLast().path("epoch"))
                .isEqualTo(requests.getFirst().path("epoch"));
        assertThat(sender.sent()).isEqualTo(3);
        await().until(() -> sender.lagMillis() == 0);
    }

    @Test
    void manyAreCompressedAndComeInBatches() throws Exception {
        for (int i = 0; i < 1200; i++) {
            spool.append(1, ("{\"host\":\"h" + i + "\"}").getBytes(StandardCharsets.UTF_8));
        }
        sink.flush();
        sender.start();
        untilEmpty();

        assertThat(requests).hasSize(3);
        assertThat(hosts()).hasSize(1200).doesNotHaveDuplicates();
    }

    @Test
    void aBatchThatIsNotTakenIsSentAgainWithTheSameNumbers() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        answers = request -> switch (calls.getAndIncrement()) {
            case 0 -> error(503, "overloaded");
            case 1 -> error(404, "not_found"); // an older one, for now
            case 2 -> error(401, "unauthorized");
            default -> received(request);
        };
        add("a");
        sender.start();
        untilEmpty();

        assertThat(hosts()).containsExactly("a", "a", "a", "a");
        assertThat(requests)
                .extracting(request -> request.path("first").asLong())
                .containsOnly(0L);
        assertThat(sender.sent()).isEqualTo(1);
        assertThat(sender.lost()).isZero();
    }

    /** No batch is sent for ever. */
    @Test
    void anEventThatIsRefusedIsFoundAndLeftOutAndTheOthersArrive() throws Exception {
        List<String> kept = new CopyOnWriteArrayList<>();
        answers = request -> {
            List<String> hosts = request.findValuesAsText("host");
            if (hosts.contains("bad")) {
                return error(422, "validation_error");
            }
            kept.addAll(hosts);
            return received(request);
        };
        add("a", "b", "c", "bad", "d", "e", "f", "g", "h");
        sender.start();
        untilEmpty();

        assertThat(kept).containsExactly("a", "b", "c", "d", "e", "f", "g", "h");
        assertThat(sender.lost()).isEqualTo(1);
        assertThat(requests).hasSizeLessThan(20);
    }

    @Test
    void ofADeletedProxyNothingIsKept() throws Exception {
        answers = request -> error(401, "proxy_revoked");
        add("a");
        sender.start();
        untilEmpty();

        sink.take(List.of(record("b")));
        sink.flush();

        assertThat(spool.bytes()).isZero();
        assertThat(requests).hasSize(1);
    }

    /** A proxy that is held back when it is deleted takes requests, and refuses them. */
    @Test
    void aDeletedProxyIsNotHeldBack() throws Exception {
        answers = request -> error(401, "proxy_revoked");
        fill();
        assertThat(holds).hasValue(1);

        sender.start();

        await().until(() -> !sink.isFull());
        assertThat(holds).hasValue(0);
        sink.settle();
        assertThat(holds).hasValue(0);
    }

    /** The folder was put back from an older copy: what follows must not be taken for what is there already. */
    @Test
    void aControlPlaneThatHasMoreThanWasNumberedGetsAnotherEpoch() throws Exception {
        answers = request -> new Answer(200, "{\"position\":99}");
        add("a");
        sender.start();
        untilEmpty();
        answers = EventSenderTest::received;
        add("b");
        untilEmpty();

        assertThat(requests.getLast().path("first").asLong()).isZero();
        assertThat(requests.getLast().path("epoch"))
                .isNotEqualTo(requests.getFirst().path("epoch"));
    }

    @Test
    void whatIsAlmostFullHoldsExchangesBackUntilThereIsRoom() throws Exception {
        answers = request -> error(503, "overloaded");
        sender.start();
        byte[] large = ("{\"host\":\"" + "x".repeat(50_000) + "\"}").getBytes(StandardCharsets.UTF_8);
        int added = 0;
        while (!sink.isFull()) {
            spool.append(1, large);
            sink.flush();
            added++;
        }

        assertThat(added).isEqualTo(20);
        assertThat(holds).hasValue(1);
        assertThat(spool.bytes()).isLessThan(spool.capacity());
        add("a refusal still fits");

        answers = EventSenderTest::received;
        untilEmpty();
        await().until(() -> !sink.isFull());
        assertThat(holds).hasValue(0);
        assertThat(sink.holds()).isEqualTo(1);
    }

    @Test
    void whatWaitsInMemoryIsDeliveredAtTheEnd() throws Exception {
        sink.close();
        use(new MemorySpool(1 << 20));
        sender.start();
        add("a", "b");
        sender.close();

        assertThat(hosts()).containsExactly("a", "b");
        assertThat(spool.bytes()).isZero();
    }

    @Test
    void theEndDoesNotWaitForAControlPlaneThatIsAway() throws Exception {
        sink.close();
        use(new MemorySpool(1 << 20));
        answers = request -> error(503, "overloaded");
        add("a");
        sender.start();
        await().until(() -> !requests.isEmpty());

        long begun = System.nanoTime();
        sender.close();

        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(2));
        assertThat(spool.bytes()).isPositive();
        assertThat(requests).as("those of the second before the end").hasSizeLessThan(20);
    }

    private static AuditRecord record(String host) {
        return new MutableAuditRecord("x", 1_700_000_000_000L)
                .host(host)
                .protocol("http/1.1")
                .action(AuditRecord.Action.ALLOW);
    }

    /** Adds until no exchange begins any more. */
    private void fill() throws IOException {
        while (!sink.isFull()) {
            spool.append(1, ("{\"host\":\"" + "x".repeat(50_000) + "\"}").getBytes(StandardCharsets.UTF_8));
            sink.flush();
        }
    }

    /** What is committed and not acknowledged comes again with the same numbers, by which it is known. */
    @Test
    void whatIsTakenWithoutAnAnswerIsSentAgainWithTheSameNumbers() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        answers = request -> calls.getAndIncrement() < 2 ? NONE : received(request);
        add("a", "b");
        sender.start();
        untilEmpty();

        assertThat(hosts()).containsExactly("a", "b", "a", "b", "a", "b");
        assertThat(requests)
                .extracting(request -> request.path("first").asLong())
                .containsOnly(0L);
        assertThat(requests)
                .extracting(request -> request.path("epoch").asText())
                .containsOnly(requests.getFirst().path("epoch").asText());
        assertThat(sender.sent()).isEqualTo(2);
    }

    /** Only the control plane refuses events: a gateway in between knows nothing of them. */
    @ParameterizedTest
    @CsvSource({"400, ''", "413, ''", "422, ''", "400, validation_error", "413, request_too_large"})
    void whatSomethingInBetweenAnswersLosesNothing(int status, String code) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        answers = request -> calls.getAndIncrement() > 1
                ? received(request)
                : code.isEmpty() ? new Answer(status, "<html>Request Entity Too Large</html>") : error(status, code);
        add("a", "b");
        sender.start();
        untilEmpty();

        assertThat(hosts()).containsExactly("a", "b", "a", "b", "a", "b");
        assertThat(sender.lost()).isZero();
        assertThat(sender.sent()).isEqualTo(2);
    }

    /** A fault of the control plane that refuses everything does not empty the spool at once. */
    @Test
    void whereEveryEventIsRefusedTheSenderIsInNoHurry() throws Exception {
        answers = request -> error(422, "validation_error");
        add(IntStream.range(0, 100).mapToObj(i -> "h" + i).toArray(String[]::new));
        sender.start();
        await().until(() -> sender.lost() >= 2);
        TimeUnit.MILLISECONDS.sleep(1000);

        assertThat(sender.lost()).isLessThan(20);
        assertThat(spool.bytes()).isPositive();
        answers = EventSenderTest::received;
    }

    @Test
    void retryAfterIsObeyed() throws Exception {
        List<Long> times = new CopyOnWriteArrayList<>();
        answers = request -> {
            times.add(System.nanoTime());
            return times.size() == 1 ? error(429, "rate_limited") : received(request);
        };
        retryAfter = "2";
        add("a");
        sender.start();
        untilEmpty();

        assertThat(times.get(1) - times.get(0)).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1900));
    }

    /** Without the thread the proxy would be held back for ever. */
    @Test
    void anErrorEndsNeitherDeliveriesNorTheThread() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        sink.close();
        MemorySpool memory = new MemorySpool(1 << 20);
        use((EventSpool) Proxy.newProxyInstance(
                EventSpool.class.getClassLoader(), new Class<?>[] {EventSpool.class}, (self, method, arguments) -> {
                    if (method.getName().equals("next") && calls.getAndIncrement() < 2) {
                        throw new StackOverflowError("a fault");
                    }
                    return method.invoke(memory, arguments);
                }));
        sender.start();
        add("a");
        untilEmpty();

        assertThat(hosts()).containsExactly("a");
    }

    /** A record of which no event can be made does not hold up others, nor the audit log. */
    @Test
    void anEventThatCannotBeKeptIsLostAndCounted() throws Exception {
        sink.close();
        use(new MemorySpool(400));

        sink.take(List.of(record("x".repeat(255)), record("a")));
        sink.flush();
        sender.start();
        untilEmpty();

        assertThat(hosts()).containsExactly("a");
        assertThat(sink.lost()).isEqualTo(1);
    }

    /** However long what a workload sends, its event is delivered. */
    @Test
    void theLongestEventOfAWorkloadIsKept() throws Exception {
        MutableAuditRecord record = new MutableAuditRecord("x", 1_700_000_000_000L)
                .host("a")
                .workload("\uD83D\uDE00".repeat(2000))
                .action(AuditRecord.Action.ALLOW);
        List<String> locations = IntStream.range(0, 200)
                .mapToObj(i -> "header:" + i + "\uD83D\uDE00".repeat(32_000))
                .toList();
        record.requestTrace("secrets")
                .annotate("swapped", List.of(Map.of("secret", "\"".repeat(2000), "locations", locations)));

        sink.take(List.of(record));
        sink.flush();
        sender.start();
        untilEmpty();

        assertThat(sink.lost()).isZero();
        assertThat(requests.getFirst().at("/events/0/replacements"))
                .as("those for which there is room together")
                .hasSize(5);
    }

    /** Where what waits is damaged, there is room again although nothing was delivered. */
    @Test
    void damageThatMakesRoomEndsTheHold() throws Exception {
        fill();
        try (Stream<Path> files = Files.list(folder.resolve("spool"))) {
            for (Path file : files.filter(one -> one.getFileName().toString().startsWith("events."))
                    .toList()) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), Segment.start() + Segment.OVERHEAD);
                }
            }
        }
        sender.start();

        await().until(() -> !sink.isFull());
        assertThat(holds).hasValue(0);
        assertThat(requests).isEmpty();
    }

    /** Numbers of one epoch say nothing of those of another. */
    @Test
    void aLongEpochBeforeAShortOneIsNoOlderCopy() throws Exception {
        add("a", "b", "c");
        spool.beginEpoch();
        add("d");
        String epoch = spool.epoch();
        sender.start();
        untilEmpty();

        assertThat(hosts()).containsExactly("a", "b", "c", "d");
        assertThat(spool.epoch()).isEqualTo(epoch);
    }
}
