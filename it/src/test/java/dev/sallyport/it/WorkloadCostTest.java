package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What many workloads cost the traffic of some: rounds of requests of 32 out of 10,000 workloads alternate with rounds of
 * one workload that has a proxy to itself, now the one first and now the other, and the middle half of the ratios is
 * printed. Fails when a request does, whatever the figures.
 */
@Tag("long")
@Timeout(900)
class WorkloadCostTest {

    private static final int MANY = 10_000;
    private static final int ACTIVE = 32;
    private static final int WARM_UP = 10;
    private static final int ROUNDS = 60;
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    Path folder;

    private TestProxy proxy(String name, int workloads) throws Exception {
        TestProxy proxy = TestProxy.builder(Files.createDirectory(folder.resolve(name)))
                .catalog(Tenants.catalog())
                .sections("transforms: []\n")
                .forgetRecords()
                .start();
        PipelineUpdate.Builder all = PipelineUpdate.builder();
        for (int workload = 0; workload < workloads; workload++) {
            all.upsert(ManyWorkloadsTest.spec(workload, ""));
            ManyWorkloadsTest.secrets(all, workload);
        }
        Tenants.applyAll(proxy, all);
        return proxy;
    }

    @Test
    void thirtyTwoOfTenThousandBesideOne() throws Exception {
        try (TestOrigin origin = TestOrigin.of(WorkloadCostTest::answer);
                TestProxy alone = proxy("alone", 1);
                TestProxy many = proxy("many", MANY);
                ExecutorService clients = Executors.newFixedThreadPool(ACTIVE)) {
            double[] ratios = new double[ROUNDS];
            double sum = 0;
            for (int i = -WARM_UP; i < ROUNDS; i++) {
                boolean first = i % 2 == 0;
                double before = first ? round(clients, alone, origin, 0) : 0;
                double some = round(clients, many, origin, MANY / ACTIVE);
                double one = first ? before : round(clients, alone, origin, 0);
                if (i >= 0) {
                    ratios[i] = 100 * some / one;
                    sum += one;
                }
            }
            Arrays.sort(ratios);
            System.out.printf(
                    "requests of %d among %d workloads a second, of those of one alone (%.0f): %.1f %% (%.1f to %.1f)%n",
                    ACTIVE, MANY, sum / ROUNDS, ratios[ROUNDS / 2], ratios[ROUNDS / 4], ratios[3 * ROUNDS / 4]);
        }
    }

    private static void answer(Wire peer) throws Exception {
        try {
            TestOrigin.always(TestOrigin.ok("ok")).serve(peer);
        } catch (SocketTimeoutException e) {
            // nobody asked any more
        }
    }

    /** @param apart how far the workloads of two clients are; 0: all of them are of the first */
    private static double round(ExecutorService clients, TestProxy proxy, TestOrigin origin, int apart)
            throws Exception {
        LongAdder requests = new LongAdder();
        long start = System.nanoTime();
        List<Future<?>> running = new ArrayList<>();
        for (int client = 0; client < ACTIVE; client++) {
            String address = ManyWorkloadsTest.address(client * apart);
            running.add(clients.submit(() -> {
                try (Wire wire = Tenants.from(address, proxy.proxy().httpAddress())) {
                    String request = "GET / HTTP/1.1\r\nHost: " + origin.authority()
                            + "\r\nX-Key: placeholder-number-7-of-all\r\n\r\n";
                    while (System.nanoTime() - start < ROUND_NANOS) {
                        assertThat(wire.send(request).message().status()).isEqualTo(200);
                        requests.increment();
                    }
                    return null;
                }
            }));
        }
        for (Future<?> client : running) {
            client.get();
        }
        return requests.sum() / ((System.nanoTime() - start) / 1e9);
    }
}
