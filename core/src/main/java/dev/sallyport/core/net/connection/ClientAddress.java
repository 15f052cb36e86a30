package dev.sallyport.core.net.connection;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The unit in which connections are counted: one IPv4 address, or one IPv6 /64.
 *
 * @param bits the address, or the first half of it
 */
public record ClientAddress(long bits, boolean v6) {

    public static ClientAddress of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet6Address
                ? new ClientAddress(bytes.getLong(), true)
                : new ClientAddress(bytes.getInt(), false);
    }

    // Written out: the generated method would delay the first connection.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ClientAddress address && address.bits == bits && address.v6 == v6;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(bits) + (v6 ? 1 : 0);
    }
}
