package dev.sallyport.benchmarks;

import dev.sallyport.core.workload.SourceAddress;
import dev.sallyport.core.workload.Workload;
import dev.sallyport.core.workload.WorkloadTable;
import dev.sallyport.spi.Principal;
import dev.sallyport.toolkit.match.IpRange;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Whose traffic it is, among many workloads; and a change of one of them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SelectionBenchmark {

    private static final int ASKED = 1024;

    /** How many there are. */
    @Param({"1", "10000"})
    public int workloads;

    private final SourceAddress[] addresses = new SourceAddress[ASKED];
    private final String[] users = new String[ASKED];
    private WorkloadTable<String> table = WorkloadTable.empty();
    private WorkloadTable<String> samePrefix = WorkloadTable.empty();
    private int next;

    @Setup
    public void prepare() throws UnknownHostException {
        for (int i = 0; i < workloads; i++) {
            table = table.with(byAddress(i)).with(byUser(i));
            samePrefix = samePrefix.with(byPrefixAndUser(i));
        }
        for (int i = 0; i < ASKED; i++) {
            int workload = (int) (i * 7919L % workloads);
            addresses[i] = SourceAddress.of(InetAddress.getByName(address(workload)));
            users[i] = "user-" + workload;
        }
    }

    private static String address(int workload) {
        return "10." + (workload >> 16) + "." + (workload >> 8 & 0xFF) + "." + (workload & 0xFF);
    }

    private static Workload<String> byAddress(int i) {
        return new Workload<>(
                "at-" + i, Workload.Selectors.of(List.of(IpRange.parse(address(i))), List.of()), Map.of(), "");
    }

    private static Workload<String> byUser(int i) {
        return new Workload<>("of-" + i, Workload.Selectors.of(List.of(), List.of("user-" + i)), Map.of(), "");
    }

    private static Workload<String> byPrefixAndUser(int i) {
        return new Workload<>(
                "both-" + i,
                Workload.Selectors.of(List.of(IpRange.parse("127.0.0.0/8")), List.of("user-" + i)),
                Map.of(),
                "");
    }

    private int next() {
        next = next + 1 & ASKED - 1;
        return next;
    }

    @Benchmark
    public @Nullable Principal bySourceAddress() {
        return table.select(addresses[next()], null);
    }

    private static final SourceAddress ELSEWHERE = new SourceAddress(true, 0x7F000001L << 32, 0);

    @Benchmark
    public @Nullable Principal byProxyUser() {
        return table.select(ELSEWHERE, users[next()]);
    }

    /** All of them have the same prefix. */
    @Benchmark
    public @Nullable Principal byPrefixAndProxyUser() {
        return samePrefix.select(ELSEWHERE, users[next()]);
    }

    /** One workload replaced in the table. */
    @Benchmark
    public WorkloadTable<String> change() {
        return table.with(byAddress(workloads / 2));
    }
}
