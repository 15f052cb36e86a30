package dev.sallyport.core.workload;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * A client's address as a key of {@link WorkloadTable}, made once for a connection. An IPv4-mapped address is the IPv4
 * address in it.
 *
 * @param high the first 64 bits; of IPv4 its 32 bits, followed by zeros
 * @param low the last 64 bits; of IPv4 zero
 */
public record SourceAddress(boolean v4, long high, long low) {

    private static final int MAPPED = 0xFFFF;

    /** The key of this address. */
    public static SourceAddress of(InetAddress address) {
        ByteBuffer bits = ByteBuffer.wrap(address.getAddress());
        if (address instanceof Inet4Address) {
            return new SourceAddress(true, (long) bits.getInt() << Integer.SIZE, 0);
        }
        long high = bits.getLong();
        long low = bits.getLong();
        return high == 0 && low >>> Integer.SIZE == MAPPED
                ? new SourceAddress(true, low << Integer.SIZE, 0)
                : new SourceAddress(false, high, low);
    }
}
