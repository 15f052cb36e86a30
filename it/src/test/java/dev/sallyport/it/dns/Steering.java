package dev.sallyport.it.dns;

import dev.sallyport.core.StartException;
import dev.sallyport.core.dns.DnsStats;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.DnsClient;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A proxy with a DNS server on loopback, from the lines of its section. */
final class Steering implements AutoCloseable {

    private final TestProxy proxy;

    private Steering(TestProxy proxy) {
        this.proxy = proxy;
    }

    static Steering start(Path folder, String... lines) throws StartException {
        return new Steering(builder(folder, lines).start());
    }

    static TestProxy.Builder builder(Path folder, String... lines) {
        StringBuilder section = new StringBuilder("dns:\n  listen: 127.0.0.1:0\n");
        for (String line : lines) {
            section.append("  ").append(line).append('\n');
        }
        return TestProxy.builder(folder).dns(section.toString());
    }

    TestProxy proxy() {
        return proxy;
    }

    InetSocketAddress address() {
        InetSocketAddress address = proxy.proxy().dnsAddress();
        if (address == null) {
            throw new AssertionError("the DNS server is off");
        }
        return address;
    }

    DnsStats stats() {
        DnsStats stats = proxy.proxy().dnsStats();
        if (stats == null) {
            throw new AssertionError("the DNS server is off");
        }
        return stats;
    }

    DnsClient.Message ask(String name, String type) throws Exception {
        return ask(DnsClient.ask(name, type));
    }

    DnsClient.Message ask(DnsClient.Ask query) throws Exception {
        return DnsClient.udp(address(), query.bytes());
    }

    DnsClient.Message askOverTcp(DnsClient.Ask query) throws Exception {
        return DnsClient.tcp(address(), query.bytes());
    }

    @Override
    public void close() {
        proxy.close();
    }
}
