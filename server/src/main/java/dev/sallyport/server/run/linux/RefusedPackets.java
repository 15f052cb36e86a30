package dev.sallyport.server.run.linux;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import dev.sallyport.linux.UnavailableException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Reads what the kernel refuses inside a namespace, on a thread of its own, until a mark comes. */
final class RefusedPackets implements Runnable {

    private static final int SNAP = 128;

    /** Where the payload of a refused datagram stands: behind the headers of IP, ICMP, IP and UDP. */
    private static final int PAYLOAD_AT = 20 + 8 + 20 + 8;

    private final int descriptor;
    private final byte[] mark;
    private final Consumer<RefusedPacket> receiver;

    /** @param mark the payload of the datagram that ends it, which nobody else knows */
    RefusedPackets(int descriptor, byte[] mark, Consumer<RefusedPacket> receiver) {
        this.descriptor = descriptor;
        this.mark = mark.clone();
        this.receiver = receiver;
    }

    @Override
    public void run() {
        try {
            SystemCalls calls = SystemCalls.open();
            ByteBuffer packet = SystemCalls.memory(SNAP);
            long address = SystemCalls.address(packet);
            while (true) {
                int bytes = (int) received(calls, address);
                if (isMark(packet, bytes)) {
                    return;
                }
                RefusedPacket read = RefusedPacket.of(packet.slice(0, bytes));
                // A program's own loopback is its own business.
                if (read != null && !read.address().isLoopbackAddress()) {
                    receiver.accept(read);
                }
            }
        } catch (UnavailableException | SystemCallException e) {
            throw new IllegalStateException("refused packets are not read", e);
        }
    }

    private long received(SystemCalls calls, long address) throws SystemCallException {
        while (true) {
            try {
                return calls.make("a refused packet", Call.RECVFROM, descriptor, address, SNAP, 0, 0, 0);
            } catch (SystemCallException e) {
                if (e.errno() != SystemCallException.EINTR) {
                    throw e;
                }
            }
        }
    }

    private boolean isMark(ByteBuffer packet, int bytes) {
        return bytes >= PAYLOAD_AT + mark.length
                && packet.slice(PAYLOAD_AT, mark.length).equals(ByteBuffer.wrap(mark));
    }
}
