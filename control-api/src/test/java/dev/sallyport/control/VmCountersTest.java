package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Refused;
import dev.sallyport.testsupport.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code GET /v1/vms/{id}/counters}. */
class VmCountersTest {

    private static final TestControl CONTROL =
            TestControl.with(TestControl.NO_LIMITS + "  sandboxes: {driver: fake, ssh: {ports: 10000-32767}}\n");

    private Api api;

    @BeforeEach
    void signUp() {
        api = CONTROL.newAccount();
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    @Test
    void countersAreThoseOfTheDriverForTheAccountAlone() {
        Sandbox vm = Sandbox.ready(api, "a");
        String counters = vm.path() + "/counters";
        assertThat(api.get(counters).text()).isEqualTo("{\"refused\":0,\"spoofed\":0}");

        CONTROL.sandboxes().refuse(vm.driverId(), new Refused(12, 3));

        assertThat(api.get(counters).text()).isEqualTo("{\"refused\":12,\"spoofed\":3}");
        assertThat(CONTROL.newAccount().get(counters).error()).isEqualTo("404 vm_not_found");
        assertThat(CONTROL.anonymous().get(counters).error()).isEqualTo("401 unauthorized");
        vm.stop();
        vm.until("stopped/stopped");
        assertThat(api.get(counters).error()).isEqualTo("409 vm_not_running");
    }

    @Test
    void countersAre503WhileTheDriverIsAway() {
        Sandbox vm = Sandbox.ready(api, "a");
        CONTROL.sandboxes().miss("the host is away");
        Api.Reply reply;
        try {
            reply = api.get(vm.path() + "/counters");
        } finally {
            CONTROL.sandboxes().miss(null);
        }

        assertThat(reply.error()).isEqualTo("503 sandboxes_unavailable");
        assertThat(reply.text()).contains("the host is away");
    }

    /** The ninth would be answered by the driver at once. */
    @Test
    void aNinthThatAsksWhileTheDriverIsSlowIsToldToComeAgain() throws Exception {
        Sandbox vm = Sandbox.ready(api, "a");
        String counters = vm.path() + "/counters";
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch asking = new CountDownLatch(8);
        CONTROL.sandboxes().hold(id -> {
            asking.countDown();
            return asked.incrementAndGet() <= 8;
        });
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<Api.Reply>> eight = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                eight.add(threads.submit(() -> api.get(counters)));
            }
            Api.Reply ninth;
            try {
                assertThat(asking.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
                ninth = api.get(counters);
            } finally {
                CONTROL.sandboxes().hold(null);
            }

            assertThat(ninth.error()).isEqualTo("503 overloaded");
            for (Future<Api.Reply> one : eight) {
                assertThat(one.get(Patience.SECONDS, TimeUnit.SECONDS).text())
                        .isEqualTo("{\"refused\":0,\"spoofed\":0}");
            }
        }
        assertThat(api.get(counters).status()).isEqualTo(200);
    }
}
