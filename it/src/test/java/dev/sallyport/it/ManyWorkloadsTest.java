package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.lang.management.ManagementFactory;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of workloads of 20 secrets and 50 rules each: they work, and memory stays bounded. */
@Timeout(600)
class ManyWorkloadsTest {

    private static final int SECRETS = 20;
    private static final int RULES = 50;
    private static final int ACTIVE = 1000;
    private static final int CHANGES = 50;

    @TempDir
    Path folder;

    static String address(int workload) {
        return "127." + (1 + workload / 62_500) + "." + (workload / 250 % 250) + "." + (1 + workload % 250);
    }

    static WorkloadSpec spec(int workload, String more) {
        StringBuilder text = new StringBuilder("{\"transforms\": [{\"name\": \"allowlist\", \"config\": {\"rules\": [");
        text.append("{\"host\": \"127.0.0.1\"}");
        for (int rule = 1; rule < RULES; rule++) {
            text.append(", {\"host\": \"h")
                    .append(rule)
                    .append(".w")
                    .append(workload)
                    .append(more)
                    .append(".example\", \"paths\": [\"/v1/*\"]}");
        }
        text.append("]}}, {\"name\": \"secrets\", \"config\": {\"secrets\": [");
        for (int secret = 0; secret < SECRETS; secret++) {
            text.append(secret == 0 ? "" : ", ")
                    .append("{\"source\": {\"type\": \"control_plane\", \"ref\": \"")
                    .append(id(workload, secret))
                    .append("\", \"optional\": true}, \"replace\": {\"proxy_value\": \"placeholder-number-")
                    .append(secret)
                    .append("-of-all\"}, \"rules\": [{\"host\": \"127.0.0.1\"}]}");
        }
        return WorkloadSpec.builder("w" + workload)
                .sourceCidr(address(workload))
                .pipeline(PipelineSpec.of(text.append("]}}]}").toString()))
                .build();
    }

    private static String id(int workload, int secret) {
        return "w" + workload + "-s" + secret;
    }

    static void secrets(PipelineUpdate.Builder update, int workload) {
        for (int secret = 0; secret < SECRETS; secret++) {
            update.secret(
                    id(workload, secret), "1", SecretValue.of("value-of-" + id(workload, secret) + "-0123456789"));
        }
    }

    @Test
    @Tag("long")
    void aThousandWorkloadsOneAfterTheOtherTakeBoundedMemory() throws Exception {
        run(1000);
    }

    @Test
    @Tag("long")
    void tenThousandWorkloadsTakeBoundedMemory() throws Exception {
        run(10_000);
    }

    /** A connection that a workload has left idle ends quietly. */
    private static void answer(Wire peer) throws Exception {
        try {
            TestOrigin.always(request -> TestOrigin.ok(
                            Integer.toString(request.field("X-Key").hashCode())))
                    .serve(peer);
        } catch (SocketTimeoutException e) {
            // nobody asked any more
        }
    }

    private void run(int workloads) throws Exception {
        try (TestOrigin origin = TestOrigin.of(ManyWorkloadsTest::answer);
                TestProxy proxy = TestProxy.builder(folder)
                        .catalog(Tenants.catalog())
                        .sections("transforms: []\n")
                        .forgetRecords()
                        .start()) {
            long before = used();
            long start = System.nanoTime();
            PipelineUpdate.Builder all = PipelineUpdate.builder();
            for (int workload = 0; workload < workloads; workload++) {
                all.upsert(spec(workload, ""));
                secrets(all, workload);
            }
            Tenants.applyAll(proxy, all);
            all = null;
            long built = System.nanoTime();
            long idle = used();
            System.out.printf(
                    "%d workloads: %d ms to apply, %d KB each%n",
                    workloads, TimeUnit.NANOSECONDS.toMillis(built - start), (idle - before) / workloads / 1024);

            visit(proxy, origin, 0, ACTIVE / 2);
            long half = used();
            visit(proxy, origin, ACTIVE / 2, ACTIVE);
            long whole = used();
            System.out.printf(
                    "%d active: %d KB each in the first half, %d KB in the second%n",
                    ACTIVE, (half - idle) / (ACTIVE / 2) / 1024, (whole - half) / (ACTIVE / 2) / 1024);
            // a second visit of everybody makes nothing that stays
            visit(proxy, origin, 0, ACTIVE);
            assertThat(used() - whole).isLessThan(32L << 20);

            times(proxy, workloads);
        }
    }

    private static void times(TestProxy proxy, int workloads) throws Exception {
        long added = 0;
        long changed = 0;
        long removed = 0;
        for (int i = 0; i < CHANGES; i++) {
            int workload = workloads + i;
            PipelineUpdate.Builder add = PipelineUpdate.builder().upsert(spec(workload, ""));
            secrets(add, workload);
            added += time(proxy, add);
            changed += time(proxy, PipelineUpdate.builder().upsert(spec(workload, "x")));
            removed += time(proxy, PipelineUpdate.builder().remove("w" + workload));
        }
        System.out.printf(
                "one among %d: %.2f ms to add, %.2f ms to change, %.2f ms to remove%n",
                workloads, added / 1e6 / CHANGES, changed / 1e6 / CHANGES, removed / 1e6 / CHANGES);
    }

    private static long time(TestProxy proxy, PipelineUpdate.Builder update) throws Exception {
        PipelineUpdate built = update.build();
        long start = System.nanoTime();
        assertThat(proxy.proxy()
                        .pipelines()
                        .apply(built)
                        .toCompletableFuture()
                        .get(Patience.SECONDS, TimeUnit.SECONDS)
                        .problems())
                .isEmpty();
        return System.nanoTime() - start;
    }

    private static void visit(TestProxy proxy, TestOrigin origin, int from, int to) throws Exception {
        for (int workload = from; workload < to; workload++) {
            try (Wire client = Tenants.from(address(workload), proxy.proxy().httpAddress())) {
                client.send("GET / HTTP/1.1\r\nHost: " + origin.authority()
                        + "\r\nX-Key: placeholder-number-7-of-all\r\n\r\n");
                Wire.Message answer = client.message();
                String own = "value-of-" + id(workload, 7) + "-0123456789";
                assertThat(answer.body()).as(address(workload)).isEqualTo(Integer.toString(own.hashCode()));
            }
        }
    }

    private static long used() throws Exception {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(100);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
