package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Updates under load: no request fails, none is judged by two pipelines, and nothing is left behind. */
@Timeout(300)
class WorkloadUpdatesUnderLoadTest {

    private static final int TENANTS = 8;

    /** Whoever still carries a value when it is deleted is refused, rightly: none does that long (4 s). */
    private static final int KEPT = 50;

    private static final long BETWEEN_UPDATES = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long BETWEEN_REQUESTS = TimeUnit.MILLISECONDS.toNanos(12);

    /** Clients of each tenant: 2,000 requests a second of all of them. */
    private static final int CLIENTS = 3;

    @TempDir
    Path folder;

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong requests = new AtomicLong();

    /** Both values of a revision are injected by two transforms: they must be of the same revision. */
    private static WorkloadSpec spec(int tenant, long revision) {
        String name = "tenant-" + tenant;
        return Tenants.user(name)
                .pipeline(PipelineSpec.of("""
                        transforms:
                          - {name: allowlist, config: {domains: ["127.0.0.1"]}}
                          - name: secrets
                            config:
                              secrets:
                                - source: {type: control_plane, ref: %1$s-r%2$d}
                                  inject: {header: X-One}
                          - name: secrets
                            config:
                              secrets:
                                - source: {type: control_plane, ref: %1$s-r%2$d}
                                  inject: {header: X-Two}
                        """.formatted(name, revision)))
                .build();
    }

    private static PipelineUpdate update(int tenant, long revision) {
        String name = "tenant-" + tenant;
        return PipelineUpdate.builder()
                .revision(revision)
                .secret(name + "-r" + revision, "1", SecretValue.of("value-of-" + name + "-r" + revision))
                .removeSecret(name + "-r" + (revision - KEPT))
                .upsert(spec(tenant, revision))
                .build();
    }

    @Test
    @Tag("long")
    void aHundredUpdatesASecondFailNoRequestAndMixNoPipelines() throws Exception {
        run(5);
    }

    @Test
    @Tag("long")
    void aHundredUpdatesASecondForAMinuteFailNoRequestAndMixNoPipelines() throws Exception {
        run(60);
    }

    private void run(int seconds) throws Exception {
        List<String> mixed = Collections.synchronizedList(new ArrayList<>());
        try (TestOrigin origin = TestOrigin.handling(request -> answer(request, mixed));
                TestProxy proxy = TestProxy.builder(folder)
                        .catalog(Tenants.catalog())
                        .sections("transforms: []\n")
                        .forgetRecords()
                        .start();
                ExecutorService clients = Executors.newThreadPerTaskExecutor(
                        Thread.ofPlatform().name("client").factory())) {
            for (int tenant = 0; tenant < TENANTS; tenant++) {
                proxy.proxy()
                        .pipelines()
                        .apply(update(tenant, 1))
                        .toCompletableFuture()
                        .get();
            }
            List<Future<?>> running = new ArrayList<>();
            for (int tenant = 0; tenant < TENANTS; tenant++) {
                String name = "tenant-" + tenant;
                for (int client = 0; client < CLIENTS; client++) {
                    running.add(clients.submit(() -> client(proxy, origin, name)));
                }
            }

            // when
            long revision = 1;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            long due = System.nanoTime();
            long updates = 0;
            List<CompletableFuture<Applied>> applied = new ArrayList<>();
            while (System.nanoTime() < end) {
                int tenant = (int) (updates % TENANTS);
                revision += tenant == 0 ? 1 : 0;
                applied.add(proxy.proxy()
                        .pipelines()
                        .apply(update(tenant, revision))
                        .toCompletableFuture());
                updates++;
                due += BETWEEN_UPDATES;
                LockSupport.parkNanos(due - System.nanoTime());
            }
            for (CompletableFuture<Applied> each : applied) {
                assertThat(each.get(Patience.SECONDS, TimeUnit.SECONDS).problems())
                        .isEmpty();
            }
            over.set(true);
            for (Future<?> client : running) {
                client.get(3L * Patience.SECONDS, TimeUnit.SECONDS);
            }

            // then
            assertThat(mixed).isEmpty();
            assertThat(requests.get()).isPositive();
            PipelineUpdate.Builder nothing = PipelineUpdate.builder().whole();
            Tenants.applyAll(proxy, nothing);
            assertThat(proxy.proxy().workloads()).isEmpty();
            System.out.println(updates + " updates and " + requests + " requests in " + seconds + " s");
        }
    }

    private static String answer(Wire.Message request, List<String> mixed) {
        String one = request.field("X-One");
        String two = request.field("X-Two");
        String tenant = request.field("X-Tenant");
        if (!one.equals(two) || !one.startsWith("value-of-" + tenant + "-r")) {
            mixed.add(tenant + ": " + one + " and " + two);
        }
        return TestOrigin.ok("ok");
    }

    private Void client(TestProxy proxy, TestOrigin origin, String name) throws Exception {
        try (Wire client = proxy.tunnel()) {
            String request = "GET http://" + origin.authority() + "/ HTTP/1.1\r\nHost: " + origin.authority()
                    + "\r\nX-Tenant: " + name + "\r\n" + Tenants.as(name) + "\r\n\r\n";
            long due = System.nanoTime();
            while (!over.get()) {
                Wire.Message answer = client.send(request).message();
                assertThat(answer.status()).as(answer.body()).isEqualTo(200);
                requests.incrementAndGet();
                due += BETWEEN_REQUESTS;
                LockSupport.parkNanos(due - System.nanoTime());
            }
        }
        return null;
    }
}
