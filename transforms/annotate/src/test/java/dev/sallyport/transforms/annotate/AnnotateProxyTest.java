package dev.sallyport.transforms.annotate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.WholeProxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client of either version of HTTP behind a real proxy. */
class AnnotateProxyTest {

    @ParameterizedTest
    @EnumSource
    void headersAreRecordedWhateverTheClientSpeaks(HttpClient.Version version, @TempDir Path folder) throws Exception {
        try (TestUpstream origin = TestUpstream.https(request -> TestResponse.ok("done"));
                WholeProxy proxy = WholeProxy.start(
                        folder,
                        "[{name: annotate, config: {annotations: [{rules: [{host: localhost}],"
                                + " headers: [Host, X-Request-Id, X-Tag, X-Absent]}]}}]",
                        origin,
                        new AnnotateFactory());
                HttpClient client = proxy.client(version)) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(origin.url() + "/v1"))
                    .header("X-Request-ID", "7")
                    .header("x-tag", "a")
                    .header("X-TAG", "b")
                    .build();
            HttpResponse<String> response = client.send(request, BodyHandlers.ofString());

            assertThat(response.version()).isEqualTo(version);
            assertThat(response.body()).isEqualTo("done");
            assertThat(proxy.audited())
                    .contains("\"annotations\":{\"header:Host\":\""
                            + origin.url().substring("https://".length())
                            + "\",\"header:X-Request-Id\":\"7\",\"header:X-Tag\":[\"a\",\"b\"]}");
        }
    }
}
