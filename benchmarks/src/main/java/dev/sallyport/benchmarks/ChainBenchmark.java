package dev.sallyport.benchmarks;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditFile;
import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.audit.Rotation;
import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.StubResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** What the chain of the audit file costs: requests through a whole proxy, and records through the writer alone. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 10, time = 2)
@Fork(2)
public class ChainBenchmark {

    private static final int PIPELINED = 32;
    private static final int SLOTS = 16384;

    /** A proxy that answers every request itself, so that nothing but the proxy is measured, and the client. */
    @State(Scope.Benchmark)
    public static class Proxy {

        /** Whether the records form a chain. */
        @Param({"false", "true"})
        public boolean chain;

        private Path folder = Path.of("");
        private EgressProxy proxy = EgressProxy.builder().configText("none", "").build();

        @Setup
        public void start() throws Exception {
            folder = Files.createTempDirectory("sallyport-chain");
            String yaml = """
                    dns: {enabled: false}
                    proxy: {http_listen: "127.0.0.1:0", https_listen: disabled}
                    tls: {mode: sni-only}
                    metrics: {listen: disabled}
                    log: {level: error, audit: {file: "%s", chain: %s, rotate: {keep: 1}}}
                    """.formatted(folder.resolve("audit.jsonl"), chain);
            StubResponse answer = StubResponse.status(204).build();
            proxy = EgressProxy.builder()
                    .configText("benchmark.yaml", yaml)
                    .loops(1)
                    .transform("stub", (InlineTransform) request -> Decision.respond(answer))
                    .build();
            proxy.start();
        }

        InetSocketAddress address() {
            InetSocketAddress address = proxy.httpAddress();
            if (address == null) {
                throw new IllegalStateException("no address");
            }
            return address;
        }

        @TearDown
        public void stop() throws IOException {
            proxy.close();
            delete(folder);
        }
    }

    /** A client that keeps its connection. */
    @State(Scope.Thread)
    public static class Client {

        private final byte[] requests =
                "GET http://api.example.com/v1/projects/blue/keys?page=2 HTTP/1.1\r\nHost: api.example.com\r\n\r\n"
                        .repeat(PIPELINED)
                        .getBytes(StandardCharsets.US_ASCII);
        private final byte[] buffer = new byte[64 * 1024];
        private Socket socket = new Socket();

        @Setup
        public void connect(Proxy proxy) throws IOException {
            socket = new Socket(proxy.address().getAddress(), proxy.address().getPort());
        }

        @TearDown
        public void close() throws IOException {
            socket.close();
        }

        /** Sends them at once and reads all answers, which have no body. */
        void exchange() throws IOException {
            socket.getOutputStream().write(requests);
            InputStream in = socket.getInputStream();
            int ends = 0;
            int matched = 0;
            while (ends < PIPELINED) {
                int count = in.read(buffer);
                if (count < 0) {
                    throw new IOException("closed");
                }
                for (int i = 0; i < count; i++) {
                    boolean fits = buffer[i] == (matched % 2 == 0 ? '\r' : '\n');
                    matched = fits ? matched + 1 : buffer[i] == '\r' ? 1 : 0;
                    if (matched == 4) {
                        ends++;
                        matched = 0;
                    }
                }
            }
        }
    }

    /** The writer alone, as fast as it takes records. */
    @State(Scope.Benchmark)
    public static class Writer {

        /** Whether the records form a chain. */
        @Param({"false", "true"})
        public boolean chain;

        private final AuditGate gate = new AuditGate(SLOTS, 0);
        private Path folder = Path.of("");
        private AuditWriter writer = new AuditWriter(gate, AuditSinks.none(), AuditListener.NONE);

        @Setup
        public void start() throws IOException {
            folder = Files.createTempDirectory("sallyport-chain");
            AuditFile.Chain linked =
                    chain ? new AuditFile.Chain(AuditKey.generate("benchmark"), Duration.ofSeconds(1), 10_000) : null;
            AuditFile file = AuditFile.open(
                    folder.resolve("audit.jsonl"),
                    new AuditFile.Settings(SLOTS, new Rotation(256L << 20, Duration.ZERO, 1), linked));
            writer = new AuditWriter(gate, file, AuditListener.NONE, file).start();
        }

        @TearDown
        public void stop() throws IOException {
            writer.close();
            delete(folder);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    /** Requests a second through a proxy with one event loop. */
    @Benchmark
    @Threads(4)
    @OperationsPerInvocation(PIPELINED)
    public void requests(Client client) throws IOException {
        client.exchange();
    }

    /** Records a second that the writer's thread encodes and writes. */
    @Benchmark
    @Threads(1)
    public void records(Writer to) {
        AuditSlot slot = to.gate.tryAcquire();
        while (slot == null) {
            LockSupport.parkNanos(100_000);
            slot = to.gate.tryAcquire();
        }
        to.writer.offer(
                slot,
                new MutableAuditRecord("apkgwr5wr5t760000000000001", 1_795_000_000_000L)
                        .host("api.example.com")
                        .port(443)
                        .method("GET")
                        .path("/v1/projects/blue%2D42/keys?page=2&q=a%20b")
                        .workload("ci-42")
                        .sni("api.example.com")
                        .mode("mitm")
                        .protocol("http/1.1")
                        .action(AuditRecord.Action.ALLOW)
                        .statusCode(200)
                        .tunnelTarget("api.example.com:443"));
    }
}
