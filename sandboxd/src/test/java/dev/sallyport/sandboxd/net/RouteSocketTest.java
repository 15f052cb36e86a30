package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import dev.sallyport.sandboxd.system.Apart;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Interfaces, in namespaces of a thread's own. */
class RouteSocketTest {

    private static final int CLONE_NEWNET = 0x40000000;

    private static int namespace(SystemCalls calls) throws IOException {
        calls.make("a network namespace", Call.UNSHARE, CLONE_NEWNET);
        return calls.open(Path.of("/proc/thread-self/ns/net"), 0);
    }

    /** A kernel with tunnels gives each namespace some, before anything else is in it. */
    @Test
    void theEndOfACableHasTheIndexThatIsFree() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(new ProcessBuilder("unshare", "--net", "true").start().waitFor() == 0, "needs network namespaces");

        int index = Apart.call("test", calls -> {
            int outside = namespace(calls);
            int here = namespace(calls);
            try (RouteSocket inside = RouteSocket.open(calls)) {
                inside.pair("tunl0", "first", outside);
                inside.pair("eth0", "second", outside);
                inside.up(inside.index("eth0"));
                return inside.index("eth0");
            } finally {
                calls.close(here);
                calls.close(outside);
            }
        });

        assertThat(index).isEqualTo(3);
    }
}
