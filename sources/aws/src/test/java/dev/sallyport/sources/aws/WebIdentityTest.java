package dev.sallyport.sources.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.testkit.JdkCaller;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The credential chain where it needs a service itself: a web identity token, as clusters give to their workloads. */
class WebIdentityTest {

    @TempDir
    Path folder;

    private static String credentials() {
        return """
                <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
                  <AssumeRoleWithWebIdentityResult>
                    <Credentials>
                      <AccessKeyId>%s</AccessKeyId>
                      <SecretAccessKey>%s</SecretAccessKey>
                      <SessionToken>%s</SessionToken>
                      <Expiration>%s</Expiration>
                    </Credentials>
                  </AssumeRoleWithWebIdentityResult>
                </AssumeRoleWithWebIdentityResponse>
                """.formatted(
                        AwsEndpoint.KEY_ID,
                        AwsEndpoint.SECRET_KEY,
                        AwsEndpoint.SESSION_TOKEN,
                        Instant.now().plus(Duration.ofHours(1)));
    }

    @Test
    void theRoleOfATokenIsAssumedOnceForAllSources() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        HttpServer sts = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        sts.createContext("/", exchange -> {
            asked.add(URLDecoder.decode(
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                    StandardCharsets.UTF_8));
            byte[] answer = credentials().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        sts.start();
        Path token = Files.writeString(folder.resolve("token"), "web-identity-token");
        try (SdkSettings settings = new SdkSettings();
                AwsEndpoint endpoint = new AwsEndpoint("eu-test-1", "secretsmanager");
                JdkCaller http = new JdkCaller();
                Lent lent = new Lent(http)) {
            settings.set("aws.region", "eu-test-1")
                    .set("aws.roleArn", "arn:aws:iam::123456789012:role/proxy")
                    .set("aws.webIdentityTokenFile", token.toString())
                    .set(
                            "aws.endpointUrlSts",
                            "http://127.0.0.1:" + sts.getAddress().getPort());
            endpoint.always(AwsEndpoint.Answer.value("{\"SecretString\": \"r34l-v4lue\"}"));

            for (String id : List.of("one", "two")) {
                SecretSource source = new CloudSmSourceFactory()
                        .create(new CloudSmSource(id, "", endpoint.url(), Duration.ZERO), lent);
                assertThat(source.read().text()).isEqualTo("r34l-v4lue");
            }

            assertThat(asked)
                    .singleElement()
                    .asString()
                    .contains("Action=AssumeRoleWithWebIdentity", "web-identity-token");
            assertThat(endpoint.faults()).isEmpty();
        } finally {
            sts.stop(0);
        }
    }
}
