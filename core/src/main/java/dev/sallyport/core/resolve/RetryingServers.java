package dev.sallyport.core.resolve;

import io.netty.resolver.dns.DnsServerAddressStream;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import java.net.InetSocketAddress;

/**
 * Lists every server more than once, so that a lost query is repeated: Netty queries each server of a stream once.
 */
record RetryingServers(DnsServerAddressStreamProvider servers) implements DnsServerAddressStreamProvider {

    /** How often each server is queried. */
    static final int ATTEMPTS = 2;

    @Override
    public DnsServerAddressStream nameServerAddressStream(String hostname) {
        return new Repeated(servers.nameServerAddressStream(hostname));
    }

    private record Repeated(DnsServerAddressStream once) implements DnsServerAddressStream {

        @Override
        public InetSocketAddress next() {
            return once.next();
        }

        @Override
        public int size() {
            return ATTEMPTS * once.size();
        }

        @Override
        public DnsServerAddressStream duplicate() {
            return new Repeated(once.duplicate());
        }
    }
}
