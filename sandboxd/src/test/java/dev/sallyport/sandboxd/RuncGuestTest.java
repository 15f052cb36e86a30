package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.VmId;
import org.junit.jupiter.api.Test;

/** The same, where runc runs the guests. */
class RuncGuestTest extends OciGuestTest {

    @Override
    Host open() throws Exception {
        return Host.openWithRunc();
    }

    private static String runtime() throws Exception {
        Availability.Available available =
                (Availability.Available) host.driver().availability();
        return available.details().getFirst();
    }

    /** Each runtime knows its own containers alone. */
    @Test
    void crunThatComesIsTakenAsSoonAsNoGuestOfRuncRuns() throws Exception {
        VmId id = host.boot(2);
        host.bringCrun();

        host.killSandboxd();
        host.startSandboxd();

        assertThat(runtime()).startsWith("runtime: runc");
        assertThat(host.driver().observe(id)).isInstanceOf(Observed.Running.class);
        assertThat(host.ssh(2, "echo here")).isEqualTo("here\n");
        host.driver().destroy(id);
        host.killSandboxd();
        host.startSandboxd();
        assertThat(runtime()).startsWith("runtime: crun");
        host.boot(2);
    }
}
