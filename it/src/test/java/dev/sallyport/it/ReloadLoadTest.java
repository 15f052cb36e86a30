package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.sun.management.UnixOperatingSystemMXBean;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reloads under load: no connection is dropped, no request fails, no exchange sees two generations, and nothing stays
 * behind.
 */
@Timeout(300)
class ReloadLoadTest {

    private static final int CLIENTS = 16;
    private static final int EVERY = 50;

    @TempDir
    Path folder;

    /** A number that differs in each configuration. */
    record Mark(
            @JsonProperty(required = true) String name,
            @JsonProperty(required = true) int number) {}

    /** Writes its number on the request and on the response. */
    private record Marker(String header, String number) implements InlineTransform {

        @Override
        public Decision decide(RequestContext request) {
            return Decision.proceed(
                    Edits.builder().setHeader(header, number).build(),
                    ResponseStep.inline(response -> ResponseDecision.proceed(
                            Edits.builder().setHeader(header + "-Back", number).build())));
        }
    }

    private static final class Markers implements TransformFactory<Mark> {

        @Override
        public Descriptor<Mark> descriptor() {
            return Descriptor.of("mark", Mark.class, "Marks.");
        }

        @Override
        public Capabilities capabilities(Mark config) {
            return Capabilities.builder()
                    .writes(Part.REQUEST_HEADERS, Part.RESPONSE_HEADERS)
                    .build();
        }

        @Override
        public Transform create(Mark config, BuildContext context) {
            return new Marker(config.name(), Integer.toString(config.number()));
        }
    }

    private TestProxy.Builder builder() {
        return TestProxy.builder(folder).catalog(PluginCatalog.of(List.of(new Markers()), List.of()));
    }

    /** Replaces the file in one step, as an operator should. */
    private static void configure(Path file, String base, int number) throws Exception {
        String marks =
                "transforms:\n  - {name: mark, config: {name: X-One, number: %d}}\n  - {name: mark, config: {name: X-Two, number: %d}}\n"
                        .formatted(number, number);
        Path next = Files.writeString(file.resolveSibling("next.yaml"), base + marks);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Answers with the marks that the request has. */
    private static TestOrigin echo() throws Exception {
        return TestOrigin.handling(request -> "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-One: " + request.field("X-One")
                + "\r\nX-Two: " + request.field("X-Two") + "\r\n\r\nok");
    }

    /** Asks on one connection, at a pace, until it is told to stop; returns how often. */
    private static int ask(Wire client, String authority, long pauseNanos, AtomicBoolean over) throws Exception {
        int asked = 0;
        for (long next = System.nanoTime(); !over.get(); next += pauseNanos) {
            Wire.Message answer =
                    client.send(head("GET / HTTP/1.1", "Host: " + authority)).message();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(List.of(answer.field("X-Two"), answer.field("X-One-Back"), answer.field("X-Two-Back")))
                    .as("one generation for the whole exchange")
                    .containsOnly(answer.field("X-One"));
            asked++;
            LockSupport.parkNanos(next - System.nanoTime());
        }
        return asked;
    }

    /** What came of it, for the log of the test. */
    private record Run(int reloads, int requests, double seconds) {}

    private Run run(int reloads, int reloadsPerSecond, int requestsPerSecond) throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder builder = builder();
        String base = builder.yaml();
        configure(file, base, 0);
        AtomicBoolean over = new AtomicBoolean();
        long pause = TimeUnit.SECONDS.toNanos(1) * CLIENTS / requestsPerSecond;
        try (TestOrigin origin = echo();
                TestProxy proxy = builder.start(file);
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> asking = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> clients.submit((Callable<Integer>) () -> {
                        try (Wire client = Wire.buffered(proxy.http().socket())) {
                            return ask(client, origin.authority(), pause, over);
                        }
                    }))
                    .toList();
            long begun = System.nanoTime();
            long period = TimeUnit.SECONDS.toNanos(1) / reloadsPerSecond;
            for (int i = 1; i <= reloads; i++) {
                configure(file, base, i);
                assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
                LockSupport.parkNanos(begun + i * period - System.nanoTime());
            }
            double seconds = (System.nanoTime() - begun) / 1e9;
            over.set(true);
            int requests = 0;
            for (Future<Integer> one : asking) {
                requests += one.get(Patience.SECONDS, TimeUnit.SECONDS); // fails with whatever a client saw
            }
            EgressProxy engine = proxy.proxy();
            int expected = requests;
            Awaitility.await("all records")
                    .untilAsserted(() -> assertThat(engine.count("sallyport.exchanges", "allow", "http/1.1", "2xx"))
                            .isEqualTo(expected));
            assertThat(engine.generation()).isEqualTo(reloads + 1);
            return new Run(reloads, requests, seconds);
        }
    }

    @Test
    void noRequestFailsAndNoExchangeSeesTwoGenerations() throws Exception {
        Run run = run(200, 100, 1000);

        assertThat(run.requests()).isPositive();
    }

    /** A hundred reloads a second for a minute under 2,000 requests a second. */
    @Test
    @Tag("long")
    void forAMinute() throws Exception {
        Run run = run(6000, 100, 2000);

        System.out.printf(
                "%d reloads (%.0f/s) and %d requests (%.0f/s) in %.1f s, none failed%n",
                run.reloads(),
                run.reloads() / run.seconds(),
                run.requests(),
                run.requests() / run.seconds(),
                run.seconds());
        assertThat(run.requests()).isPositive();
    }

    private record Resources(List<String> threads, long files, long heap) {

        /** The test waits on threads of its own; pools of a fixed size start theirs when they have something to do. */
        private static final Pattern OTHERS = Pattern.compile("awaitility.*|ForkJoinPool.*|sallyport-mint-.*");

        static Resources now() throws InterruptedException {
            for (int i = 0; i < 3; i++) {
                System.gc();
                Thread.sleep(50); // for reference queues
            }
            var system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            return new Resources(
                    Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            .filter(name -> !OTHERS.matcher(name).matches())
                            .sorted()
                            .toList(),
                    system.getOpenFileDescriptorCount(),
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
    }

    private void leavesNothingBehind(int warmUp, int reloads) throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder builder = builder();
        String base = builder.yaml();
        configure(file, base, 0);
        try (TestOrigin origin = echo();
                TestProxy proxy = builder.start(file);
                Wire client = proxy.http()) {
            Resources before = null;
            for (int i = 1; i <= warmUp + reloads; i++) {
                configure(file, base, i);
                assertThat(proxy.proxy().reload()).isInstanceOf(ReloadResult.Reloaded.class);
                if (i % EVERY == 0) { // the proxy of the test keeps every record
                    assertThat(client.get("/", origin.authority()).field("X-Two"))
                            .isEqualTo(Integer.toString(i));
                }
                if (i == warmUp) {
                    before = Resources.now();
                }
            }
            Resources first = before;
            Awaitility.await("what it was before").untilAsserted(() -> {
                Resources after = Resources.now();
                assertThat(after.threads())
                        .as("threads")
                        .hasSizeLessThanOrEqualTo(first.threads().size());
                assertThat(after.files()).as("open files").isLessThanOrEqualTo(first.files());
                assertThat(after.heap() - first.heap())
                        .as("growth of the heap for each of %d reloads", reloads)
                        .isLessThan(reloads * 1024L);
            });
        }
    }

    @Tag("long")
    @Test
    void aHundredReloadsLeaveNothingBehind() throws Exception {
        leavesNothingBehind(50, 100);
    }

    @Test
    @Tag("long")
    void aThousandReloadsLeaveNothingBehind() throws Exception {
        leavesNothingBehind(200, 1000);
    }
}
