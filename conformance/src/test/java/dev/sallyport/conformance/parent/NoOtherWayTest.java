package dev.sallyport.conformance.parent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.conformance.Programs;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testsupport.TestParent;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A proxy in a network namespace whose every packet to the outside is counted: those to the parent, and all others, of
 * which there must be none.
 */
class NoOtherWayTest {

    private static final String PARENT = "10.99.4.1";
    private static final Pattern COUNTER = Pattern.compile("counter (\\w+) \\{\\s*packets (\\d+)");

    @TempDir
    Path folder;

    private final String namespace = "spp" + ProcessHandle.current().pid();
    private final String outside = "spp" + ProcessHandle.current().pid();

    @BeforeEach
    void namespace() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(Programs.work("ip", "-V"), "needs ip");
        assumeTrue(Programs.work("nft", "--version"), "needs nft");
        assumeTrue(Programs.work("curl", "--version"), "needs curl");
        assumeTrue(Programs.work("ip", "netns", "add", namespace), "needs network namespaces");
        for (String command : List.of(
                "ip link add " + outside + " type veth peer name inside netns " + namespace,
                "ip addr add " + PARENT + "/24 dev " + outside,
                "ip link set " + outside + " up",
                "ip -n " + namespace + " link set lo up",
                "ip -n " + namespace + " addr add 10.99.4.2/24 dev inside",
                "ip -n " + namespace + " link set inside up",
                "ip -n " + namespace + " route add default via " + PARENT)) {
            assertThat(Programs.work(command.split(" ", -1))).as(command).isTrue();
        }
    }

    @AfterEach
    void remove() {
        Programs.work("ip", "netns", "del", namespace);
    }

    private void count(int parentPort) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules"), """
                table inet seen {
                  counter parent {}
                  counter others {}
                  chain out {
                    type filter hook output priority 0;
                    oif lo accept
                    ip daddr %s tcp dport %d counter name parent accept
                    meta l4proto { tcp, udp, icmp } counter name others drop
                  }
                }
                """.formatted(PARENT, parentPort));
        Programs.run(folder, List.of("ip", "netns", "exec", namespace, "nft", "-f", rules.toString()));
    }

    private long packets(String counter) throws Exception {
        Matcher counters = COUNTER.matcher(
                Programs.run(folder, List.of("ip", "netns", "exec", namespace, "nft", "list", "counters")));
        while (counters.find()) {
            if (counters.group(1).equals(counter)) {
                return Long.parseLong(counters.group(2));
            }
        }
        throw new AssertionError("no counter " + counter);
    }

    private String curl(int port, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "ip",
                "netns",
                "exec",
                namespace,
                "curl",
                "-sS",
                "--noproxy",
                "",
                "--max-time",
                "20",
                "-x",
                "http://127.0.0.1:" + port,
                "--cacert",
                folder.resolve("ca.crt").toString()));
        command.addAll(List.of(more));
        return Programs.run(folder, command);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"local", "remote"})
    void everyPacketGoesToTheParent(String resolve) throws Exception {
        try (TestUpstream plain = TestUpstream.http(request -> TestResponse.ok("plain"));
                TestUpstream secure = TestUpstream.https(request -> TestResponse.ok("secure"));
                TestParent parent =
                        TestParent.http(InetAddress.getByName(PARENT)).demanding("ann", "s3cret")) {
            Files.writeString(folder.resolve("origin.pem"), secure.certificatePem());
            count(parent.port());
            Process host = new ProcessBuilder(
                            "ip",
                            "netns",
                            "exec",
                            namespace,
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ParentHost.class.getName(),
                            folder.toString(),
                            parent.url("http").replace("localhost", PARENT),
                            resolve)
                    .redirectError(folder.resolve("stderr").toFile())
                    .start();
            try (BufferedReader said = host.inputReader(StandardCharsets.UTF_8)) {
                String line = said.readLine();
                assertThat(line).as(() -> errors()).startsWith("tunnel ");
                int port = Integer.parseInt(line.substring("tunnel ".length()));
                for (int i = 0; i < 5; i++) {
                    assertThat(curl(port, "http://localhost:" + port(plain) + "/"))
                            .isEqualTo("plain");
                    assertThat(curl(port, "https://localhost:" + port(secure) + "/"))
                            .isEqualTo("secure");
                    assertThat(curl(port, "http://10.99.4.77:" + port(plain) + "/"))
                            .isEqualTo("plain");
                }
                assertThat(curl(port, "-o", "/dev/null", "-w", "%{http_code}", "http://192.0.2.1/"))
                        .isEqualTo("403"); // not allowed, and so nothing is asked of anybody
                parent.die();
                for (String url : List.of("http://localhost:1/", "http://10.99.4.77:1/", "http://localhost:2/")) {
                    assertThat(curl(port, "-o", "/dev/null", "-w", "%{http_code}", url))
                            .isEqualTo("502");
                }
                assertThat(packets("parent")).isPositive();
                assertThat(packets("others")).isZero();

                // What goes another way would have been seen.
                Programs.work(
                        "ip",
                        "netns",
                        "exec",
                        namespace,
                        "curl",
                        "--noproxy",
                        "*",
                        "--max-time",
                        "1",
                        "http://192.0.2.1/");
                assertThat(packets("others")).isPositive();
            } finally {
                host.getOutputStream().close();
                Programs.end(host, 30, List.of("host"), this::errors);
            }
        }
    }

    private String errors() {
        try {
            return Files.readString(folder.resolve("stderr"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static int port(TestUpstream origin) {
        return URI.create(origin.url()).getPort();
    }
}
