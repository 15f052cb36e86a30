package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.spi.Decision;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the engine counts of itself. */
@Timeout(60)
class EngineMetersTest {

    @TempDir
    Path folder;

    @Test
    void exchangesAreCountedByWhatCameOfThem() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    while (true) {
                        peer.readHead();
                        peer.send(TestOrigin.ok("hello"));
                    }
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "gate",
                                request -> request.head().path().equals("/no")
                                        ? Decision.reject(403, "not_allowed", "No.")
                                        : Decision.proceed())
                        .start()) {
            EgressProxy engine = proxy.proxy();
            for (String path : new String[] {"/a", "/b"}) {
                proxy.get(origin, path);
                proxy.record();
            }
            assertThat(engine.count("sallyport.body.bytes", "response")).isEqualTo(10);
            proxy.get(origin, "/no");
            proxy.record();
            try (Wire client = proxy.http()) {
                client.send("GET /../x HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n")
                        .message();
            }
            proxy.record();

            assertThat(engine.count("sallyport.exchanges", "allow", "http/1.1", "2xx"))
                    .isEqualTo(2);
            assertThat(engine.count("sallyport.exchanges", "reject", "http/1.1", "4xx"))
                    .isEqualTo(2);
            assertThat(engine.count("sallyport.rejections", "gate")).isEqualTo(1);
            assertThat(engine.count("sallyport.body.bytes", "request")).isZero();
        }
    }

    @Test
    void reloadsAreCountedByTheirOutcome() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start()) {
            proxy.proxy().reload();

            assertThat(proxy.proxy().count("sallyport.reloads", "reloaded")).isEqualTo(1);
            assertThat(proxy.proxy().count("sallyport.reloads", "refused")).isZero();
        }
    }
}
