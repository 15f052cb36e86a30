package dev.sallyport.conformance.parent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.conformance.Gate;
import dev.sallyport.conformance.Programs;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Squid, tinyproxy and a SOCKS server as parents, each also dying under load. */
class ParentProgramsTest {

    @TempDir
    Path folder;

    private final AtomicInteger served = new AtomicInteger();

    private TestResponse answer() {
        served.incrementAndGet();
        return TestResponse.ok("from the origin");
    }

    private static ParentProgram parent(String name, Path folder) throws Exception {
        return switch (name) {
            case "squid", "squid-with-password" -> {
                assumeTrue(Programs.work("squid", "-v"), "needs squid");
                yield ParentProgram.squid(folder, name.endsWith("password"));
            }
            case "tinyproxy" -> {
                assumeTrue(Programs.work("tinyproxy", "-v"), "needs tinyproxy");
                yield ParentProgram.tinyproxy(folder);
            }
            default -> {
                assumeTrue(Programs.work("sh", "-c", "command -v microsocks"), "needs microsocks");
                yield ParentProgram.microsocks(folder);
            }
        };
    }

    /** The parent is named by variables, as in a company's image; its password is in the URL. */
    private Gate gate(String name, ParentProgram parent, String resolve, TestUpstream secure) throws Exception {
        String scheme = name.equals("microsocks") ? resolve.equals("remote") ? "socks5h" : "socks5" : "http";
        String login = name.equals("squid") ? "" : ParentProgram.USER + ":" + ParentProgram.PASSWORD + "@";
        String url = scheme + "://" + login + "127.0.0.1:" + parent.port();
        Map<String, String> environment = scheme.equals("http")
                ? Map.of(
                        "HTTP_PROXY", url,
                        "HTTPS_PROXY", url,
                        "SALLYPORT_PROXY_UPSTREAM_PROXY_RESOLVE", resolve)
                : Map.of("HTTP_PROXY", url, "HTTPS_PROXY", url);
        return new Gate(folder, secure.certificatePem(), environment, "");
    }

    private static HttpClient client(Gate gate) {
        return HttpClient.newBuilder()
                .proxy(ProxySelector.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), gate.httpPort())))
                .build();
    }

    private static String named(TestUpstream origin) {
        return origin.url().replace("127.0.0.1", "localhost");
    }

    @ParameterizedTest
    @CsvSource({
        "squid, local", "squid, remote",
        "squid-with-password, local", "squid-with-password, remote",
        "tinyproxy, local", "tinyproxy, remote",
        "microsocks, local", "microsocks, remote"
    })
    void curlReachesOriginsThroughIt(String name, String resolve) throws Exception {
        assumeTrue(Programs.work("curl", "--version"), "needs curl");
        try (ParentProgram parent = parent(name, folder);
                TestUpstream plain = TestUpstream.http(request -> answer());
                TestUpstream secure = TestUpstream.https(request -> answer());
                Gate gate = gate(name, parent, resolve, secure)) {
            for (TestUpstream origin : List.of(plain, secure)) {
                for (int i = 0; i < 2; i++) {
                    String printed = Programs.run(
                            folder,
                            List.of(
                                    "curl",
                                    "-sS",
                                    "--noproxy",
                                    "",
                                    "--cacert",
                                    gate.caFile().toString(),
                                    "-x",
                                    "http://127.0.0.1:" + gate.tunnelPort(),
                                    named(origin) + "/path?q=1"));
                    assertThat(printed).isEqualTo("from the origin");
                    JsonNode record = gate.record();
                    assertThat(record.at("/audit/via").asText()).endsWith("://127.0.0.1:" + parent.port());
                    assertThat(record.at("/audit/address_unseen").asBoolean()).isEqualTo(resolve.equals("remote"));
                    assertThat(record.toString()).doesNotContain(ParentProgram.PASSWORD);
                }
            }
        }
    }

    @Test
    void squidWithoutThePasswordIsAFailureOfTheParent() throws Exception {
        try (ParentProgram parent = parent("squid-with-password", folder);
                TestUpstream secure = TestUpstream.https(request -> answer());
                Gate gate = gate("squid", parent, "remote", secure);
                HttpClient client = client(gate);
                TestUpstream plain = TestUpstream.http(request -> answer())) {
            HttpResponse<String> refused = client.send(
                    HttpRequest.newBuilder(URI.create(named(plain) + "/")).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(refused.statusCode()).isEqualTo(502);
            assertThat(refused.body()).contains("upstream_proxy_failed");
            assertThat(refused.headers().firstValue("Proxy-Authenticate")).isEmpty();
            assertThat(served).hasValue(0);
        }
    }

    /** Requests succeed or are 502, and serve again when it is back; nobody reaches the origin while it is away. */
    @ParameterizedTest
    @CsvSource({"squid, local", "squid-with-password, remote", "tinyproxy, local", "microsocks, remote"})
    void itMayDieUnderLoad(String name, String resolve) throws Exception {
        try (ParentProgram parent = parent(name, folder);
                TestUpstream secure = TestUpstream.https(request -> answer());
                TestUpstream plain = TestUpstream.http(request -> answer());
                Gate gate = gate(name, parent, resolve, secure);
                HttpClient client = client(gate)) {
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger good = new AtomicInteger();
            AtomicInteger bad = new AtomicInteger();
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                clients.add(Thread.ofVirtual().start(() -> {
                    while (!over.get()) {
                        try {
                            int status = client.send(
                                            HttpRequest.newBuilder(URI.create(named(plain) + "/"))
                                                    .build(),
                                            HttpResponse.BodyHandlers.ofString())
                                    .statusCode();
                            (status == 200 ? good : bad).incrementAndGet();
                        } catch (Exception e) {
                            bad.incrementAndGet(); // a response that was cut off
                        }
                    }
                }));
            }
            for (int round = 0; round < 2; round++) {
                int before = good.get();
                while (good.get() < before + 50) {
                    Thread.sleep(5);
                }
                parent.kill();
                int missed = bad.get();
                while (bad.get() < missed + 20) {
                    Thread.sleep(5);
                }
                int reached = served.get();
                missed = bad.get();
                while (bad.get() < missed + 20) {
                    Thread.sleep(5);
                }
                assertThat(served)
                        .as("what the origin sees while the parent is away")
                        .hasValue(reached);
                parent.revive();
            }
            int before = good.get();
            while (good.get() < before + 50) {
                Thread.sleep(5);
            }
            over.set(true);
            for (Thread one : clients) {
                one.join();
            }
        }
    }
}
