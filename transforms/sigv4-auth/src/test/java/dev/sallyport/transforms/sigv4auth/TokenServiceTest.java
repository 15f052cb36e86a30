package dev.sallyport.transforms.sigv4auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.JdkCaller;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testsupport.TestParent;
import java.io.OutputStream;
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

/** Where the chain needs STS, it is asked through the proxy's own client: for web identity tokens and for roles of profiles. */
@Timeout(60)
class TokenServiceTest {

    private static final String ROLE = "arn:aws:iam::123456789012:role/proxy";
    private static final TestRequest REQUEST =
            Workload.signed(TestRequest.get("https://sqs.eu-west-1.amazonaws.com/123/queue"), "sqs", "");

    @TempDir
    Path folder;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<HttpCall> calls = new CopyOnWriteArrayList<>();
    private final JdkCaller network = new JdkCaller();
    private HttpServer sts;
    private SdkSettings settings;

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
        settings = new SdkSettings();
    }

    @AfterEach
    void stop() {
        settings.close();
        network.close();
        sts.stop(0);
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
                        Workload.KEY_ID,
                        Workload.SECRET,
                        Workload.TOKEN,
                        Instant.now().plus(Duration.ofDays(3650)));
    }

    private URI local() {
        return URI.create("http://127.0.0.1:" + sts.getAddress().getPort() + "/");
    }

    private void webIdentity() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "web-identity-token");
        settings.set("aws.roleArn", ROLE).set("aws.webIdentityTokenFile", token.toString());
    }

    private void profile(String more) throws Exception {
        Path file = Files.writeString(folder.resolve("config"), """
                [profile proxy]
                role_arn = %s
                source_profile = base
                %s

                [profile base]
                aws_access_key_id = AKIDBASE000000000000
                aws_secret_access_key = base-secret
                """.formatted(ROLE, more));
        settings.set("aws.configFile", file.toString()).set("aws.profile", "proxy");
    }

    /** A client for which STS is on this machine, whatever it is called. */
    private HttpCaller client() {
        return call -> {
            calls.add(call);
            HttpCall.Builder here =
                    HttpCall.to(call.method(), local()).timeout(call.timeout()).body(call.body());
            call.headers().forEach(line -> here.header(line.getKey(), line.getValue()));
            return network.call(here.build());
        };
    }

    /**
     * Has a request signed with what the chain finds.
     *
     * @param more of the provider's fields
     */
    private void sign(String more) {
        try (TransformHarness harness =
                TransformHarness.of("""
                        transforms:
                          - name: sigv4_auth
                            config:
                              credentials_provider: {type: workload_identity%s}
                              rules: [{host: "*.amazonaws.com"}]
                        """.formatted(more)).http(client()).start()) {
            ExchangeResult result = harness.send(REQUEST);
            Workload.verifier(harness.time().clock(), true).verify(result.sent());
        }
    }

    /** The host of STS, which is asked once to have a request signed. */
    private String hostOfSts(String more) {
        sign(more);
        assertThat(calls).hasSameSizeAs(asked).hasSize(1);
        assertThat(calls.getFirst().uri().getScheme()).isEqualTo("https");
        return calls.getFirst().host();
    }

    @Test
    void webIdentityTokenIsExchangedInTheConfiguredRegion() throws Exception {
        webIdentity();
        settings.set("aws.region", "eu-west-3");
        assertThat(hostOfSts(", region: eu-west-1")).isEqualTo("sts.eu-west-1.amazonaws.com");
        assertThat(asked)
                .singleElement()
                .asString()
                .contains("Action=AssumeRoleWithWebIdentity", "WebIdentityToken=web-identity-token");
    }

    @Test
    void withoutAConfiguredRegionItIsTheOneThatTheSdkFinds() throws Exception {
        webIdentity();
        settings.set("aws.region", "eu-west-3");
        assertThat(hostOfSts("")).isEqualTo("sts.eu-west-3.amazonaws.com");
    }

    @Test
    void withoutAnyRegionTheGlobalEndpointIsAsked() throws Exception {
        webIdentity();
        assertThat(hostOfSts("")).isEqualTo("sts.amazonaws.com");
    }

    @Test
    void noRegionIsLookedForWhereStsIsNotNeeded() {
        settings.withCredentials()
                .set("aws.disableEc2Metadata", "false")
                .set("aws.ec2MetadataServiceEndpoint", local().toString());
        sign("");
        assertThat(asked).isEmpty();
    }

    @Test
    void roleOfAProfileIsAssumedInItsRegion() throws Exception {
        profile("region = eu-north-1");
        settings.set("aws.region", "eu-west-3");
        assertThat(hostOfSts(", region: eu-west-1")).isEqualTo("sts.eu-north-1.amazonaws.com");
        assertThat(asked).singleElement().asString().contains("Action=AssumeRole&", "RoleArn=" + ROLE);
        assertThat(calls.getFirst().headers()).anySatisfy(line -> {
            assertThat(line.getKey()).isEqualToIgnoringCase("Authorization");
            assertThat(line.getValue()).contains("AKIDBASE000000000000", "/eu-north-1/sts/aws4_request");
        });
    }

    @Test
    void roleOfAProfileWithoutARegionIsAssumedInTheConfiguredOne() throws Exception {
        profile("");
        settings.set("aws.region", "eu-west-3");
        assertThat(hostOfSts(", region: eu-west-1")).isEqualTo("sts.eu-west-1.amazonaws.com");
    }

    /** {@code proxy.upstream_proxy} */
    @Test
    void callsGoThroughTheParent() throws Exception {
        webIdentity();
        settings.set("aws.endpointUrlSts", local().toString());
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        try (TestParent parent = TestParent.http();
                EgressProxy proxy = EgressProxy.builder()
                        .configText("test.yaml", """
                                dns: {enabled: false}
                                proxy:
                                  http_listen: disabled
                                  https_listen: disabled
                                  tunnel_listen: "127.0.0.1:0"
                                  upstream_proxy: {http_proxy: "%s"}
                                tls: {ca_cert: "%s", ca_key: "%s"}
                                metrics: {listen: disabled}
                                transforms:
                                  - name: sigv4_auth
                                    config:
                                      credentials_provider: {type: workload_identity, region: eu-west-1}
                                      rules: [{host: "*.amazonaws.com"}]
                                """.formatted(parent.url("http"), cert, key))
                        .catalog(PluginCatalog.of(List.of(new SigV4AuthFactory()), List.of()))
                        .environment(Map.of())
                        .auditSink(AuditSinks.stream(OutputStream.nullOutputStream()))
                        .build()) {
            proxy.start();
            assertThat(parent.asked()).containsExactly("CONNECT " + local().getAuthority());
            assertThat(asked).hasSize(1);
        }
    }
}
