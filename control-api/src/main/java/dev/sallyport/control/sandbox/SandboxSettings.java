package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.VmLimits;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the operator has set for sandboxes.
 *
 * @param image what VMs begin as
 * @param size what each may take
 * @param vms what those of an account may have together; twice as much with those that are about to be destroyed
 * @param snapshots what an account may have of these
 * @param creations how many are made at a time
 * @param bootTimeout how long the boot may take until SSH answers
 * @param stopGrace how long a guest may take to end before it is killed
 * @param idleStop how long a VM runs without an SSH connection; null for any time
 * @param timeToLive how long a VM is there; null for any time
 */
public record SandboxSettings(
        ImageName image,
        VmLimits size,
        VmQuota vms,
        SnapshotQuota snapshots,
        int creations,
        Duration bootTimeout,
        Duration stopGrace,
        @Nullable Duration idleStop,
        @Nullable Duration timeToLive,
        Subnet subnet,
        Ssh ssh) {

    /**
     * What VMs of an account there may be that are not destroyed. Of all but the first, null is any amount.
     *
     * @param most how many
     * @param memoryBytes memory of those whose guests may run
     * @param cpuMillis thousandths of a processor, of these
     * @param processes processes and threads, of these
     * @param diskBytes disk of all
     */
    public record VmQuota(
            int most,
            @Nullable Long memoryBytes,
            @Nullable Long cpuMillis,
            @Nullable Long processes,
            @Nullable Long diskBytes) {}

    /**
     * What snapshots of an account there may be.
     *
     * @param most how many
     * @param bytes how much they may take of disks
     */
    public record SnapshotQuota(int most, long bytes) {}

    /**
     * The addresses of guests. The first is the gate's, the last nobody's.
     *
     * @param network its first address as a number
     * @param prefixLength 8 to 29
     */
    public record Subnet(long network, int prefixLength) {

        private static final int BITS = 32;

        /** How many guests it has room for. */
        int guests() {
            return (1 << (BITS - prefixLength)) - 3;
        }

        /** The address of the guest of a number from 0 on. */
        long guest(int number) {
            return network + 2 + number;
        }

        /** The number of a guest. */
        int number(long address) {
            return (int) (address - network - 2);
        }

        /** A number as an address. */
        static Inet4Address address(long number) {
            try {
                return (Inet4Address) InetAddress.getByAddress(
                        ByteBuffer.allocate(4).putInt((int) number).array());
            } catch (UnknownHostException e) {
                throw new IllegalStateException(e); // four bytes are an address
            }
        }

        /** {@code ADDRESS/LENGTH}. */
        @Override
        public String toString() {
            return address(network).getHostAddress() + "/" + prefixLength;
        }
    }

    /**
     * Where VMs are logged in to.
     *
     * @param listen the address on which their ports are
     * @param firstPort the first of the ports
     * @param lastPort the last of them, inclusive
     * @param host what clients are told to connect to
     * @param connections how many connections a VM has at a time
     */
    public record Ssh(String listen, int firstPort, int lastPort, String host, int connections) {}
}
