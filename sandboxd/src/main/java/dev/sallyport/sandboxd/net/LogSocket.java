package dev.sallyport.sandboxd.net;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import dev.sallyport.linux.UnavailableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Where the kernel tells of packets that rules log into a group (NFLOG). Whoever does not read in time loses what the socket
 * has no room for; no packet ever waits for that. Not thread-safe.
 */
final class LogSocket implements AutoCloseable {

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int NETLINK_NETFILTER = 12;
    private static final int SOL_NETLINK = 270;
    private static final int NETLINK_NO_ENOBUFS = 5;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int EAGAIN = 11;

    private static final short CONFIGURATION = 4 << 8 | 1;
    private static final short REQUEST_AND_ACK = 5;
    private static final short COMMAND = 1;
    private static final byte BIND = 1;
    private static final short MODE = 2;
    private static final byte COPY_PACKET = 2;
    private static final short THRESHOLD = 5;

    /** Of a packet, the longest header of IPv4 and the ports, or the header of IPv6 and more. */
    private static final int BEGINNING = 64;

    private static final int BUFFER = 8192;
    private static final int ERROR_AT = 16;

    private final SystemCalls calls;
    private final int socket;
    private final ByteBuffer buffer = SystemCalls.memory(BUFFER);

    private LogSocket(SystemCalls calls, int socket) {
        this.calls = calls;
        this.socket = socket;
    }

    /**
     * Takes a group of this network namespace.
     *
     * @throws SystemCallException also when somebody else has it
     */
    static LogSocket open(int group) throws UnavailableException, SystemCallException {
        SystemCalls calls = SystemCalls.open();
        int descriptor = (int)
                calls.make("a netlink socket", Call.SOCKET, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
        LogSocket opened = new LogSocket(calls, descriptor);
        boolean bound = false;
        try {
            opened.bind(group);
            bound = true;
            return opened;
        } finally {
            if (!bound) {
                opened.close();
            }
        }
    }

    private void bind(int group) throws SystemCallException {
        ByteBuffer one = SystemCalls.memory(Integer.BYTES).putInt(1);
        calls.makeWith(
                "an option of a netlink socket",
                Call.SETSOCKOPT,
                socket,
                SOL_NETLINK,
                NETLINK_NO_ENOBUFS,
                one,
                Integer.BYTES);
        String what = "group " + group + " of nflog";
        ByteBuffer request = request(group);
        calls.makeWith(what, Call.SENDTO, socket, request, request.capacity(), 0, 0, 0);
        int read = (int) calls.makeWith(what, Call.RECVFROM, socket, buffer, BUFFER, 0, 0, 0);
        int error = read < ERROR_AT + Integer.BYTES ? 0 : -buffer.getInt(ERROR_AT);
        if (error > 0) {
            throw new SystemCallException(what, error);
        }
    }

    /** Binds to a group, whose packets come one by one and not whole. Values of attributes are big-endian. */
    private static ByteBuffer request(int group) {
        ByteBuffer request = SystemCalls.memory(48)
                .putInt(48)
                .putShort(CONFIGURATION)
                .putShort(REQUEST_AND_ACK)
                .putInt(1)
                .putInt(0)
                .putShort((short) 0)
                .put((byte) (group >> 8))
                .put((byte) group);
        attribute(request, COMMAND, 1).put(BIND).put(new byte[3]);
        attribute(request, MODE, 6).put(bigEndian(BEGINNING)).put(COPY_PACKET).put(new byte[3]);
        attribute(request, THRESHOLD, Integer.BYTES).put(bigEndian(1));
        return request;
    }

    private static ByteBuffer attribute(ByteBuffer request, short type, int bytes) {
        return request.putShort((short) (4 + bytes)).putShort(type);
    }

    private static byte[] bigEndian(int value) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.BIG_ENDIAN)
                .putInt(value)
                .array();
    }

    /** What has come and was not read yet, a part of it at a time; empty for nothing. Does not wait. */
    List<LoggedPacket> read() throws SystemCallException {
        try {
            int read =
                    (int) calls.makeWith("logged packets", Call.RECVFROM, socket, buffer, BUFFER, MSG_DONTWAIT, 0, 0);
            return LoggedPacket.of(
                    buffer.duplicate().order(buffer.order()).clear().limit(read));
        } catch (SystemCallException e) {
            if (e.errno() == EAGAIN || e.errno() == SystemCallException.EINTR) {
                return List.of();
            }
            throw e;
        }
    }

    @Override
    public void close() throws SystemCallException {
        calls.make("close", Call.CLOSE, socket);
    }
}
