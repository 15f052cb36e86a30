package dev.sallyport.core.audit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The clients whose slots are counted together: those of an organization's workloads, or else of a workload at an address,
 * or callers of no workload there. The holder of one IPv6 address has the 2^64 with the same prefix. Immutable.
 *
 * @param organization with which they are held back; empty for none
 */
record ShareOwner(Kind kind, long bits, String workload, String organization) {

    /** What is counted together. */
    private enum Kind {
        ORGANIZATION,
        IPV4,
        IPV6
    }

    static ShareOwner at(InetAddress address, String workload, String organization) {
        ByteBuffer of = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet6Address
                ? new ShareOwner(Kind.IPV6, of.getLong(), workload, organization)
                : new ShareOwner(Kind.IPV4, of.getInt(), workload, organization);
    }

    static ShareOwner of(String organization) {
        return new ShareOwner(Kind.ORGANIZATION, 0, "", organization);
    }

    // Written out, because the first connection would wait while Java generates it.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ShareOwner owner
                && owner.kind == kind
                && owner.bits == bits
                && owner.workload.equals(workload)
                && owner.organization.equals(organization);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * Long.hashCode(bits) + kind.hashCode()) + workload.hashCode()) + organization.hashCode();
    }
}
