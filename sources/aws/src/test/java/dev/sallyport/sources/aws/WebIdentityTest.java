package dev.sallyport.sources.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sallyport.testkit.JdkCaller;
import dev.sallyport.testkit.SourceGate;
import dev.sallyport.testsupport.TestParent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The credential chain where it needs STS: a web identity token, as clusters give to their workloads, and roles of profiles. */
@Timeout(60)
class WebIdentityTest {

    private static final String ROLE = "arn:aws:iam::123456789012:role/proxy";

    @TempDir
    Path folder;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer sts;
    private SdkSettings settings;
    private AwsEndpoint endpoint;

    @BeforeEach
    void start() throws Exception {
        sts = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        sts.createContext("/", exchange -> {
            String request = URLDecoder.decode(
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                    StandardCharsets.UTF_8);
            asked.add(request);
            String action = request.contains("WithWebIdentity") ? "AssumeRoleWithWebIdentity" : "AssumeRole";
            byte[] answer = credentials(action).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        sts.start();
        settings = new SdkSettings()
                .set("aws.region", "eu-test-1")
                .set(
                        "aws.endpointUrlSts",
                        "http://127.0.0.1:" + sts.getAddress().getPort());
        endpoint = new AwsEndpoint("eu-test-1", "secretsmanager");
        endpoint.always(AwsEndpoint.Answer.value("{\"SecretString\": \"r34l-v4lue\"}"));
    }

    @AfterEach
    void stop() {
        sts.stop(0);
        settings.close();
        endpoint.close();
        assertThat(endpoint.faults()).isEmpty();
    }

    private static String credentials(String action) {
        return """
                <%1$sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
                  <%1$sResult>
                    <Credentials>
                      <AccessKeyId>%2$s</AccessKeyId>
                      <SecretAccessKey>%3$s</SecretAccessKey>
                      <SessionToken>%4$s</SessionToken>
                      <Expiration>%5$s</Expiration>
                    </Credentials>
                  </%1$sResult>
                </%1$sResponse>
                """.formatted(
                        action,
                        AwsEndpoint.KEY_ID,
                        AwsEndpoint.SECRET_KEY,
                        AwsEndpoint.SESSION_TOKEN,
                        Instant.now().plus(Duration.ofHours(1)));
    }

    private void webIdentity() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "web-identity-token");
        settings.set("aws.roleArn", ROLE).set("aws.webIdentityTokenFile", token.toString());
    }

    private void profiles(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("config"), text);
        settings.set("aws.configFile", file.toString()).set("aws.profile", "proxy");
    }

    private String read(Lent lent, String id) throws Exception {
        return new CloudSmSourceFactory()
                .create(new CloudSmSource(id, "", endpoint.url(), Duration.ZERO), lent)
                .read()
                .text();
    }

    @Test
    void theRoleOfATokenIsAssumedOnceForAllSources() throws Exception {
        webIdentity();
        try (JdkCaller http = new JdkCaller();
                Lent lent = new Lent("cloud_sm", http)) {
            for (String id : List.of("one", "two")) {
                assertThat(read(lent, id)).isEqualTo("r34l-v4lue");
            }

            assertThat(asked)
                    .singleElement()
                    .asString()
                    .contains("Action=AssumeRoleWithWebIdentity", "web-identity-token");
        }
    }

    @Test
    void aProfileAssumesTheRoleOfAnother() throws Exception {
        profiles("""
                [profile proxy]
                role_arn = %s
                source_profile = base
                external_id = house-7
                role_session_name = gate
                duration_seconds = 1800

                [profile base]
                aws_access_key_id = AKIDBASE000000000000
                aws_secret_access_key = base-secret
                """.formatted(ROLE));
        try (JdkCaller http = new JdkCaller();
                Lent lent = new Lent("cloud_sm", http)) {
            assertThat(read(lent, "one")).isEqualTo("r34l-v4lue");
            assertThat(read(lent, "two")).isEqualTo("r34l-v4lue");

            assertThat(asked)
                    .singleElement()
                    .asString()
                    .contains(
                            "Action=AssumeRole&",
                            "RoleArn=" + ROLE,
                            "ExternalId=house-7",
                            "RoleSessionName=gate",
                            "DurationSeconds=1800");
        }
    }

    @Test
    void aProfileMayBeItsOwnSourceButNotLeadInACircle() throws Exception {
        profiles("""
                [profile proxy]
                role_arn = %s
                source_profile = proxy
                aws_access_key_id = AKIDBASE000000000000
                aws_secret_access_key = base-secret
                """.formatted(ROLE));
        try (JdkCaller http = new JdkCaller();
                Lent lent = new Lent("cloud_sm", http)) {
            assertThat(read(lent, "one")).isEqualTo("r34l-v4lue");
        }
        profiles("""
                [profile proxy]
                role_arn = %1$s
                source_profile = other

                [profile other]
                role_arn = %1$s
                source_profile = proxy
                """.formatted(ROLE));
        try (JdkCaller http = new JdkCaller();
                Lent lent = new Lent("cloud_sm", http)) {
            assertThatThrownBy(() -> read(lent, "one")).hasMessageContaining("the SDK finds no credentials");
        }
    }

    /** {@code proxy.upstream_proxy}: STS and the service are both asked through the parent. */
    @Test
    void allCallsGoThroughTheParent() throws Exception {
        webIdentity();
        String source = "{type: cloud_sm, secret_id: one, endpoint: \"" + endpoint.url() + "\"}";
        try (TestParent parent = TestParent.http();
                SourceGate gate = new SourceGate(
                        folder,
                        List.of(new CloudSmSourceFactory()),
                        source,
                        Map.of("HTTP_PROXY", parent.url("http")))) {
            assertThat(gate.send()).isEqualTo("r34l-v4lue");
            assertThat(parent.asked())
                    .startsWith(
                            "CONNECT 127.0.0.1:" + sts.getAddress().getPort(),
                            "CONNECT " + URI.create(endpoint.url()).getAuthority());
        }
    }
}
