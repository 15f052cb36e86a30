package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.meter.TimedSeries;
import dev.sallyport.spi.Decision;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.Map;
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
                client.send("GET /%00 HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n")
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
    void theTimesOfAnExchangeLeadToItsRecord() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    while (true) {
                        peer.readHead();
                        peer.send(TestOrigin.ok("hello"));
                    }
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("gate", request -> Decision.proceed())
                        .start()) {
            proxy.get(origin, "/a");
            String id = proxy.record().path("exchange_id").asText();

            assertThat(proxy.proxy().exemplars())
                    .filteredOn(series -> series.exemplars().stream()
                            .anyMatch(exemplar -> exemplar.exchangeId().equals(id)))
                    .extracting(TimedSeries::meter, TimedSeries::labels)
                    .containsExactlyInAnyOrder(
                            tuple("sallyport.exchange.duration", Map.of("action", "allow")),
                            tuple("sallyport.upstream.wait.duration", Map.of()),
                            tuple("sallyport.upstream.response.duration", Map.of()),
                            tuple(
                                    "sallyport.transform.duration",
                                    Map.of("transform", "gate", "name", "", "phase", "request")),
                            tuple(
                                    "sallyport.transform.duration",
                                    Map.of("transform", "sentinel", "name", "", "phase", "request")));
        }
    }

    @Test
    void whatNeverReachedAnOriginHasNoTimesOfOne() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                .transform("gate", request -> Decision.reject(403, "not_allowed", "No."))
                .start()) {
            try (Wire client = proxy.http()) {
                client.send("GET / HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n").message();
            }
            proxy.record();

            assertThat(proxy.proxy().exemplars())
                    .extracting(TimedSeries::meter)
                    .containsExactlyInAnyOrder("sallyport.exchange.duration", "sallyport.transform.duration");
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
