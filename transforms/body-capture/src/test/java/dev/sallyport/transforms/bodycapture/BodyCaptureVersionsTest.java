package dev.sallyport.transforms.bodycapture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.WholeProxy;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client of either version of HTTP behind a real proxy. */
class BodyCaptureVersionsTest {

    private static final byte[] BODY = "ä€ of no declared length".getBytes(StandardCharsets.UTF_8);

    @ParameterizedTest
    @EnumSource
    void bodiesAreRecordedWhateverTheClientSpeaks(HttpClient.Version version, @TempDir Path folder) throws Exception {
        try (TestUpstream origin = TestUpstream.https(request -> TestResponse.ok("done"));
                WholeProxy proxy = WholeProxy.start(
                        folder, "[{name: body_capture, config: {}}]", origin, new BodyCaptureFactory());
                HttpClient client = proxy.client(version)) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(origin.url() + "/v1"))
                    .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(BODY)))
                    .build();
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());

            assertThat(response.version()).isEqualTo(version);
            assertThat(response.body()).isEqualTo("done");
            assertThat(proxy.audited())
                    .contains(
                            "\"body_capture\":{\"request_body\":\"" + new String(BODY, StandardCharsets.UTF_8) + "\"}");
            assertThat(origin.requests())
                    .singleElement()
                    .satisfies(seen -> assertThat(seen.content()).isEqualTo(BODY));
        }
    }
}
