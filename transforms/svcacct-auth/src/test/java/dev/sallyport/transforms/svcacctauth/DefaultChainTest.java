package dev.sallyport.transforms.svcacctauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.client.http.HttpTransport;
import com.google.auth.oauth2.ComputeEngineCredentials;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.auth.oauth2.ServiceAccountCredentials;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.testkit.JdkCaller;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code credentials_provider: {type: workload_identity}}. */
class DefaultChainTest {

    private static final String KEY =
            KeyFiles.REAL.json("https://oauth2.googleapis.com/token").toString();

    private final Map<String, String> environment = new HashMap<>();

    @TempDir
    Path home;

    private GoogleCredentials find(HttpCaller caller) throws IOException {
        HttpTransport transport = new CallerTransport(caller);
        return new DefaultChain(environment::get, home).find(() -> transport);
    }

    private static CompletionStage<HttpReply> nobody(HttpCall call) {
        return CompletableFuture.failedFuture(new IOException("nobody"));
    }

    @Test
    void variableNamesAFile() throws Exception {
        environment.put(
                "GOOGLE_APPLICATION_CREDENTIALS",
                Files.writeString(home.resolve("key.json"), KEY).toString());
        assertThat(find(DefaultChainTest::nobody)).isInstanceOf(ServiceAccountCredentials.class);
    }

    @Test
    void fileOfGcloudIsNext() throws Exception {
        Path folder = Files.createDirectories(home.resolve(".config/gcloud"));
        Files.writeString(folder.resolve("application_default_credentials.json"), KEY);
        assertThat(find(DefaultChainTest::nobody)).isInstanceOf(ServiceAccountCredentials.class);

        environment.put("CLOUDSDK_CONFIG", home.toString());
        assertThatThrownBy(() -> find(DefaultChainTest::nobody)).isInstanceOf(IOException.class);
    }

    @Test
    void fileThatCannotBeUsedIsToldWithoutItsContent() throws Exception {
        environment.put(
                "GOOGLE_APPLICATION_CREDENTIALS", home.resolve("none.json").toString());
        assertThatThrownBy(() -> find(DefaultChainTest::nobody))
                .hasMessage("the file that GOOGLE_APPLICATION_CREDENTIALS names cannot be read");
        environment.put(
                "GOOGLE_APPLICATION_CREDENTIALS",
                Files.writeString(home.resolve("bad.json"), "{\"type\":\"s3cr3t\"}")
                        .toString());
        assertThatThrownBy(() -> find(DefaultChainTest::nobody))
                .hasMessage("the file that GOOGLE_APPLICATION_CREDENTIALS names has no credentials of a known kind");
    }

    /** The metadata server is reached by its name, through the given client. */
    @Test
    void metadataServerIsLastAndMintsThroughTheGivenClient() throws Exception {
        TestUpstream metadata = TestUpstream.http(request -> !request.header("Metadata-Flavor")
                        .equals("Google")
                ? TestResponse.status(403)
                : request.target().contains("/token")
                        ? TestResponse.ok("{\"access_token\":\"minted\",\"expires_in\":100,\"token_type\":\"Bearer\"}")
                                .header("Metadata-Flavor", "Google")
                        : TestResponse.ok("computeMetadata/").header("Metadata-Flavor", "Google"));
        try (metadata;
                JdkCaller sockets = new JdkCaller()) {
            HttpCaller steered = call -> {
                assertThat(call.uri().getHost()).isEqualTo("metadata.google.internal");
                HttpCall.Builder same = HttpCall.to(call.method(), URI.create(metadata.url() + target(call.uri())));
                call.headers().forEach(line -> same.header(line.getKey(), line.getValue()));
                return sockets.call(same.build());
            };
            GoogleCredentials found = find(steered);
            assertThat(found).isInstanceOf(ComputeEngineCredentials.class);
            assertThat(found.createScoped(List.of("one", "two"))
                            .refreshAccessToken()
                            .getTokenValue())
                    .isEqualTo("minted");
            assertThat(metadata.requests().getLast().target())
                    .contains("/computeMetadata/v1/instance/service-accounts/default/token", "scopes=one,two");
        }
    }

    private static String target(URI uri) {
        return uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
    }

    @Test
    void nothingAnywhereIsToldPlainly() {
        assertThatThrownBy(() -> find(DefaultChainTest::nobody))
                .hasMessageContaining("no default credentials")
                .hasMessageContaining("no metadata server answers");
        environment.put("NO_GCE_CHECK", "true");
        assertThatThrownBy(() -> find(call -> {
                    throw new AssertionError("asked");
                }))
                .hasMessageContaining("no default credentials");
    }
}
