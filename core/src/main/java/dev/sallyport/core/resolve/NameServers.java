package dev.sallyport.core.resolve;

import io.netty.resolver.dns.DnsServerAddressStream;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.DnsServerAddressStreamProviders;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The name servers to query: the configured one, otherwise the operating system's. */
public final class NameServers {

    private NameServers() {}

    /** The servers to query for a name, in this order. The system's may change while it runs. */
    public static List<InetSocketAddress> of(@Nullable InetSocketAddress configured, String name) {
        if (configured != null) {
            return List.of(configured);
        }
        DnsServerAddressStream stream = provider(null).nameServerAddressStream(name);
        Set<InetSocketAddress> servers = new LinkedHashSet<>();
        for (int i = 0; i < stream.size(); i++) {
            servers.add(stream.next());
        }
        return new ArrayList<>(servers);
    }

    static DnsServerAddressStreamProvider provider(@Nullable InetSocketAddress configured) {
        return configured == null
                ? DnsServerAddressStreamProviders.platformDefault()
                : new SingletonDnsServerAddressStreamProvider(configured);
    }
}
