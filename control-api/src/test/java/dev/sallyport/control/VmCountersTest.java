package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Refused;
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
}
