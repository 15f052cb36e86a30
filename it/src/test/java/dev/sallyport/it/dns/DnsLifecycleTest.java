package dev.sallyport.it.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.DnsClient;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.Wire;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Start, reload and end of the DNS server. */
class DnsLifecycleTest {

    @TempDir
    Path folder;

    @Test
    void isOffWhenDisabled() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start()) {
            assertThat(proxy.proxy().dnsAddress()).isNull();
            assertThat(proxy.proxy().dnsStats()).isNull();
        }
    }

    @Test
    void aReloadSwapsWhatIsAnsweredAndKeepsTheSocket() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder builder = Steering.builder(folder, "proxy_ip: 192.0.2.1");
        Files.writeString(file, builder.yaml());
        try (TestProxy proxy = builder.start(file)) {
            InetSocketAddress address = proxy.proxy().dnsAddress();
            byte[] query = DnsClient.ask("any.example", "A").bytes();
            byte[] fixed = DnsClient.ask("new.test", "A").bytes();
            assertThat(DnsClient.udp(address, query).data()).containsExactly("A 192.0.2.1");

            // when
            Files.writeString(
                    file,
                    Files.readString(file)
                            .replace(
                                    "proxy_ip: 192.0.2.1",
                                    String.join(
                                            "\n  ",
                                            "proxy_ip: 192.0.2.2",
                                            "upstream_resolver: 127.0.0.1:9",
                                            "limits: {query_bytes: 256}",
                                            "records: [{name: new.test, type: A, value: 192.0.2.3}]")));
            ReloadResult result = proxy.proxy().reload();

            // then
            assertThat(result)
                    .isInstanceOfSatisfying(
                            ReloadResult.Reloaded.class,
                            done -> assertThat(done.restartRequired()).isEmpty());
            assertThat(proxy.proxy().dnsAddress()).isEqualTo(address);
            assertThat(DnsClient.udp(address, query).data()).containsExactly("A 192.0.2.2");
            assertThat(DnsClient.udp(address, fixed).data()).containsExactly("A 192.0.2.3");

            // when
            Files.writeString(
                    file, Files.readString(file).replace("127.0.0.1:9\n", "127.0.0.1:" + address.getPort() + "\n"));

            // then
            assertThat(proxy.proxy().reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Refused.class,
                            refused -> assertThat(refused.problems().toString())
                                    .contains("/dns/upstream_resolver", "would ask itself"));
            assertThat(DnsClient.udp(address, query).data()).containsExactly("A 192.0.2.2");
        }
    }

    @Test
    void anotherAddressNeedsARestart() throws Exception {
        Path file = folder.resolve("proxy.yaml");
        TestProxy.Builder builder = Steering.builder(folder, "proxy_ip: 192.0.2.1");
        Files.writeString(file, builder.yaml());
        try (TestProxy proxy = builder.start(file)) {
            Files.writeString(file, Files.readString(file).replace("  listen: 127.0.0.1:0", "  listen: 127.0.0.2:0"));
            assertThat(proxy.proxy().reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Reloaded.class,
                            done -> assertThat(done.restartRequired()).containsExactly("/dns/listen"));
        }
    }

    @Test
    void aTakenPortIsOneLineWithItsAddress() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertRefused(taken.getLocalPort());
        }
        try (DatagramSocket taken = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            assertRefused(taken.getLocalPort());
        }
    }

    private void assertRefused(int port) {
        TestProxy.Builder builder =
                TestProxy.builder(folder).dns("dns: {listen: '127.0.0.1:" + port + "', proxy_ip: 192.0.2.1}\n");
        assertThatThrownBy(builder::start)
                .isInstanceOfSatisfying(
                        StartException.class,
                        refused -> assertThat(refused.problems())
                                .containsExactly("dns.listen 127.0.0.1:" + port + ": the port is taken"));
    }

    @Test
    void aServerThatWouldAskItselfDoesNotStart() throws Exception {
        int port = Ports.unused();
        for (String listen : new String[] {"127.0.0.1:" + port, ":" + port}) {
            TestProxy.Builder builder = TestProxy.builder(folder)
                    .dns("dns: {listen: '" + listen + "', proxy_ip: 192.0.2.1, upstream_resolver: '127.0.0.1:" + port
                            + "'}\n");
            assertThatThrownBy(builder::start)
                    .isInstanceOf(StartException.class)
                    .hasMessageStartingWith("dns.upstream_resolver is the DNS server of the proxy itself");
        }
    }

    @Test
    void closingGivesThePortBack() throws Exception {
        InetSocketAddress address;
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1")) {
            address = dns.address();
        }
        new ServerSocket(address.getPort(), 1, address.getAddress()).close();
        new DatagramSocket(address).close();
    }

    /** Steered names lead to the proxy, whose own resolver must not send it there again. */
    @Test
    void whereSteeredNamesLeadIsNotDialled() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 203.0.113.80", "proxy_ip6: 2001:db8::80")) {
            int tunnel = dns.proxy().proxy().tunnelAddress().getPort();
            for (String authority : new String[] {
                "203.0.113.80",
                "203.0.113.80:443",
                "203.0.113.80:" + tunnel,
                "[2001:db8::80]",
                "127.0.0.1:" + dns.address().getPort()
            }) {
                try (Wire client = dns.proxy().http()) {
                    client.send(Wire.head("GET / HTTP/1.1", "Host: " + authority));
                    assertThat(client.message().body()).as(authority).contains("upstream_denied");
                }
            }
        }
    }
}
