package dev.sallyport.transforms.svcacctauth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.JdkCaller;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.TransformHarness;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proxy on a machine of the cloud: the metadata server says who it is. */
class WorkloadIdentityTest {

    private static final String URL = "https://storage.googleapis.com/storage/v1/b";

    private final TestUpstream metadata = TestUpstream.http(WorkloadIdentityTest::answer);
    private final JdkCaller sockets = new JdkCaller();

    @TempDir
    Path home;

    /** The transform, in an environment of its own. */
    private record Elsewhere(Path home) implements TransformFactory<SvcacctAuthConfig> {

        @Override
        public Descriptor<SvcacctAuthConfig> descriptor() {
            return Descriptor.of("elsewhere", SvcacctAuthConfig.class, "svcacct_auth on another machine.");
        }

        @Override
        public Capabilities capabilities(SvcacctAuthConfig config) {
            return new SvcacctAuthFactory().capabilities(config);
        }

        @Override
        public Transform create(SvcacctAuthConfig config, BuildContext context) throws ConfigException {
            return SvcacctAuth.of(config, context, new DefaultChain(variable -> null, home));
        }
    }

    private static TestResponse answer(ForwardedRequest request) {
        if (!request.header("Metadata-Flavor").equals("Google")) {
            return TestResponse.status(403);
        }
        return request.target().contains("/token?scopes=one,two")
                ? TestResponse.ok(
                                "{\"access_token\":\"ya29.minted-token\",\"expires_in\":100,\"token_type\":\"Bearer\"}")
                        .header("Metadata-Flavor", "Google")
                : TestResponse.ok("computeMetadata/\n").header("Metadata-Flavor", "Google");
    }

    /** Takes calls for the metadata server to where it is. */
    private HttpCaller steered() {
        return call -> {
            assertThat(call.uri().getHost()).isEqualTo("metadata.google.internal");
            String query = call.uri().getRawQuery();
            HttpCall.Builder same = HttpCall.to(
                    call.method(),
                    URI.create(metadata.url() + call.uri().getRawPath() + (query == null ? "" : "?" + query)));
            call.headers().forEach(line -> same.header(line.getKey(), line.getValue()));
            return sockets.call(same.build());
        };
    }

    private TransformHarness.Builder builder() {
        return TransformHarness.of("""
                        transforms:
                          - name: elsewhere
                            config: {credentials_provider: {type: workload_identity}, scopes: [one, two]}
                        """).factory(new Elsewhere(home));
    }

    @AfterEach
    void close() {
        sockets.close();
        metadata.close();
    }

    @Test
    void tokenOfTheMachineIsInjectedAndWorkloadsGetThePlaceholder() {
        try (TransformHarness harness = builder().http(steered()).start()) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasForwardedHeader("Authorization", "Bearer ya29.minted-token")
                    .hasAnnotation("elsewhere", "service_account", null)
                    .doesNotShow("minted-token");
            ExchangeResult project = harness.send(
                    TestRequest.get("http://metadata.google.internal/computeMetadata/v1/project/project-id")
                            .header("Metadata-Flavor", "Google"));
            assertThat(project.body()).isEqualTo("sallyport-stub-project");
            assertThat(project.forwarded()).isNull();
        }
    }

    @Test
    void machineThatIsNoneOfTheCloudIsAConfigurationError() {
        List<ConfigProblem> problems = builder().problems();
        assertThat(problems).singleElement().satisfies(problem -> {
            assertThat(problem.pointer()).endsWith("/config/credentials_provider");
            assertThat(problem.toString()).contains("no default credentials");
        });
    }
}
