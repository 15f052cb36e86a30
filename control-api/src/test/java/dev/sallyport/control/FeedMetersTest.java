package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Patience;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/control-plane.md, Metrics: what the feed tells of itself. */
@Timeout(120)
class FeedMetersTest {

    private static final String FEED = "sallyport.control.feed.";

    private static Map<String, Double> lags(TestMeters meters) {
        MetricData metric = Objects.requireNonNull(meters.metric(FEED + "lag"));
        return metric.getDoubleGaugeData().getPoints().stream()
                .collect(Collectors.toMap(
                        point -> Objects.requireNonNull(point.getAttributes().get(AttributeKey.stringKey("proxy"))),
                        DoublePointData::getValue));
    }

    @Test
    void whatHasNotChangedIsNotCompiledAgainForProxiesThatComeBack() throws Exception {
        try (TestMeters meters = new TestMeters();
                TestControl control = TestControl.with(TestControl.NO_LIMITS, meters)) {
            Api api = control.newAccount();
            List<String> tokens = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                tokens.add(api.post("/v1/proxies", "{\"name\": \"p" + i + "\"}")
                        .data()
                        .path("token")
                        .asText());
            }
            for (String token : tokens) {
                try (FeedStream stream = FeedStream.open(control.address(), token)) {
                    stream.take();
                }
            }

            assertThat(meters.count(FEED + "compile.duration")).isEqualTo(1);

            api.post("/v1/egress/rules", "{\"host\": \"a.test\"}");
            try (FeedStream stream = FeedStream.open(control.address(), tokens.getFirst())) {
                assertThat(stream.take().text()).contains("a.test");
            }
            assertThat(meters.count(FEED + "compile.duration")).isEqualTo(2);
        }
    }

    @Test
    void snapshotsAreCountedAndEachProxyHasItsLag() throws Exception {
        try (TestMeters meters = new TestMeters();
                TestControl control = TestControl.with(TestControl.NO_LIMITS, meters)) {
            JsonNode made = control.newAccount()
                    .post("/v1/proxies", "{\"name\": \"p\"}")
                    .data();
            String proxy = made.path("id").asText();
            try (FeedStream stream =
                    FeedStream.open(control.address(), made.path("token").asText())) {
                FeedStream.Event snapshot = stream.next("snapshot");

                assertThat(meters.sum(FEED + "proxies")).isEqualTo(1);
                assertThat(meters.sum(FEED + "snapshots")).isEqualTo(1);
                assertThat(meters.count(FEED + "compile.duration")).isEqualTo(1);
                assertThat(meters.metric(FEED + "compile.failures")).isNull();
                assertThat(lags(meters))
                        .hasEntrySatisfying(proxy, lag -> assertThat(lag).isPositive());

                stream.acknowledge(snapshot);

                assertThat(lags(meters)).containsExactly(Map.entry(proxy, 0.0));
            }
            await().atMost(Patience.seconds(60)).until(() -> meters.sum(FEED + "proxies") == 0);
        }
    }
}
