package dev.sallyport.server.run.linux;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A network namespace in which every address is local, so that whatever a program connects to is one of our sockets, or
 * nothing. Made by the thread that enters it and never leaves it: other threads stay where they are. What that thread
 * starts lives there too.
 */
public final class NetworkNamespace {

    private static final int CLONE_NEWNET = 0x40000000;
    private static final int LOOPBACK = 1;
    private static final int ANSWER_BYTES = 4096;
    private static final int BACKLOG = 1024;
    private static final int DNS = 53;
    private static final byte UNUSED_PORT = 1;

    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int AF_NETLINK = 16;
    private static final int AF_PACKET = 17;
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_RAW = 3;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SOCK_NONBLOCK = 0x800;
    private static final int SOL_SOCKET = 1;
    private static final int SO_REUSEADDR = 2;
    private static final int SO_ATTACH_FILTER = 26;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_V6ONLY = 26;
    private static final int ETH_P_ALL = 3;

    private static final short RTM_NEWLINK = 16;
    private static final short RTM_NEWADDR = 20;
    private static final short RTM_NEWROUTE = 24;
    private static final short REQUEST_AND_ACK = 0x5;
    private static final short CREATE = 0x400;
    private static final int IFF_UP = 1;
    private static final byte TABLE_LOCAL = (byte) 255;
    private static final byte PROTOCOL_STATIC = 4;
    private static final byte SCOPE_HOST = (byte) 254;
    private static final byte TYPE_LOCAL = 2;
    private static final short RTA_OIF = 4;
    private static final short IFA_ADDRESS = 1;
    private static final short IFA_LOCAL = 2;
    private static final byte IFA_F_NODAD = 2;

    private static final byte[] IPV4 = {(byte) 198, 18, 0, 1};
    private static final byte[] IPV6 = {(byte) 0xfd, 0x53, 0x61, 0x6c, 0x6c, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

    private final SystemCalls calls;

    private NetworkNamespace(SystemCalls calls) {
        this.calls = calls;
    }

    /**
     * The sockets that were opened inside.
     *
     * @param streams listening TCP sockets by port
     * @param dnsStreams listening TCP sockets of port 53
     * @param dnsDatagrams UDP sockets of port 53
     * @param refusals a packet socket that sees what the kernel refuses
     * @param ipv6 whether IPv6 is served too
     */
    public record Sockets(
            List<Stream> streams, List<Integer> dnsStreams, List<Integer> dnsDatagrams, int refusals, boolean ipv6) {

        public Sockets {
            streams = List.copyOf(streams);
            dnsStreams = List.copyOf(dnsStreams);
            dnsDatagrams = List.copyOf(dnsDatagrams);
        }

        /** The address that the namespace has besides loopback; for names that resolve to the proxy. */
        public InetAddress ipv4Address() {
            return address(IPV4);
        }

        /** The same of IPv6; null where it is not served. */
        public @Nullable InetAddress ipv6Address() {
            return ipv6 ? address(IPV6) : null;
        }

        private static InetAddress address(byte[] bytes) {
            try {
                return InetAddress.getByAddress(bytes);
            } catch (UnknownHostException e) {
                throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
            }
        }
    }

    /**
     * A listening TCP socket.
     *
     * @param port where it listens, at every address
     */
    public record Stream(int port, int descriptor) {}

    /**
     * Moves the calling thread into a new namespace, where every address is local.
     *
     * @throws SystemCallException when that is not permitted
     */
    public static NetworkNamespace enter(SystemCalls calls) throws SystemCallException {
        calls.make("a network namespace", Call.UNSHARE, CLONE_NEWNET);
        return new NetworkNamespace(calls);
    }

    /**
     * Opens the sockets. Call on the thread that entered.
     *
     * @param ports for TCP, besides 53
     */
    public Sockets open(Iterable<Integer> ports) throws SystemCallException {
        boolean ipv6 = routes();
        List<Stream> streams = new ArrayList<>();
        List<Integer> dnsStreams = new ArrayList<>();
        List<Integer> dnsDatagrams = new ArrayList<>();
        for (int family : ipv6 ? List.of(AF_INET, AF_INET6) : List.of(AF_INET)) {
            for (int port : ports) {
                streams.add(new Stream(port, bound(family, SOCK_STREAM, port)));
            }
            dnsStreams.add(bound(family, SOCK_STREAM, DNS));
            dnsDatagrams.add(bound(family, SOCK_DGRAM, DNS));
        }
        return new Sockets(streams, dnsStreams, dnsDatagrams, refusals(), ipv6);
    }

    /** Filters the system calls of what the calling thread, which entered, starts from now on. */
    void filterCalls() throws SystemCallException {
        CallFilter.install(calls);
    }

    /** Sends a datagram with this payload, which the kernel refuses: what it refused before is seen before. */
    void mark(byte[] payload) {
        try {
            int socket = socket("a mark", AF_INET, SOCK_DGRAM, 0);
            ByteBuffer data = SystemCalls.memory(payload.length).put(payload);
            ByteBuffer address = SystemCalls.memory(16)
                    .putShort((short) AF_INET)
                    .put((byte) 0)
                    .put(UNUSED_PORT)
                    .put(new byte[] {127, 0, 0, 1});
            calls.make(
                    "a mark",
                    Call.SENDTO,
                    socket,
                    SystemCalls.address(data),
                    payload.length,
                    0,
                    SystemCalls.address(address),
                    address.capacity());
            calls.make("close", Call.CLOSE, socket);
        } catch (SystemCallException e) {
            throw new IllegalStateException("the end of the refused packets cannot be marked", e);
        }
    }

    /** Whether IPv6 is there too. */
    private boolean routes() throws SystemCallException {
        int netlink = socket("netlink", AF_NETLINK, SOCK_RAW, 0);
        try {
            request(netlink, "the loopback interface", link());
            request(netlink, "an address", address(AF_INET, IPV4));
            request(netlink, "a route for every address", route(AF_INET));
            try {
                request(netlink, "an IPv6 address", address(AF_INET6, IPV6));
                request(netlink, "a route for every IPv6 address", route(AF_INET6));
                return true;
            } catch (SystemCallException e) {
                return false; // switched off: then no IPv6 address can be reached at all
            }
        } finally {
            calls.make("close", Call.CLOSE, netlink);
        }
    }

    private static ByteBuffer message(short type, short flags, int bytes) {
        return SystemCalls.memory(bytes)
                .putInt(bytes)
                .putShort(type)
                .putShort(flags)
                .putInt(1)
                .putInt(0);
    }

    /** {@code ip link set lo up}: {@code ifinfomsg}. */
    private static ByteBuffer link() {
        return message(RTM_NEWLINK, REQUEST_AND_ACK, 32)
                .putInt(0)
                .putInt(LOOPBACK)
                .putInt(IFF_UP)
                .putInt(IFF_UP);
    }

    /**
     * {@code ip address add ... dev lo}: {@code ifaddrmsg} and two attributes. Resolvers that look whether there is IPv4 or
     * IPv6 at all (AI_ADDRCONFIG) do not count loopback addresses.
     */
    private static ByteBuffer address(int family, byte[] address) {
        ByteBuffer message = message(RTM_NEWADDR, (short) (REQUEST_AND_ACK | CREATE), 24 + 2 * (4 + address.length))
                .put((byte) family)
                .put((byte) (address.length * Byte.SIZE))
                .put(IFA_F_NODAD)
                .put((byte) 0)
                .putInt(LOOPBACK);
        for (short attribute : new short[] {IFA_LOCAL, IFA_ADDRESS}) {
            message.putShort((short) (4 + address.length)).putShort(attribute).put(address);
        }
        return message;
    }

    /** {@code ip route add local default dev lo}: {@code rtmsg} and one attribute. */
    private static ByteBuffer route(int family) {
        return message(RTM_NEWROUTE, (short) (REQUEST_AND_ACK | CREATE), 36)
                .put((byte) family)
                .put((byte) 0)
                .put((byte) 0)
                .put((byte) 0)
                .put(TABLE_LOCAL)
                .put(PROTOCOL_STATIC)
                .put(family == AF_INET ? SCOPE_HOST : 0)
                .put(TYPE_LOCAL)
                .putInt(0)
                .putShort((short) 8)
                .putShort(RTA_OIF)
                .putInt(LOOPBACK);
    }

    private void request(int netlink, String what, ByteBuffer message) throws SystemCallException {
        calls.make(what, Call.SENDTO, netlink, SystemCalls.address(message), message.capacity(), 0, 0, 0);
        ByteBuffer answer = SystemCalls.memory(ANSWER_BYTES);
        calls.make(what, Call.RECVFROM, netlink, SystemCalls.address(answer), answer.capacity(), 0, 0, 0);
        int error = -answer.getInt(16); // nlmsgerr: 0, or the negative number of the error
        if (error != 0) {
            throw new SystemCallException(what, error);
        }
    }

    private int socket(String what, int family, int type, int protocol) throws SystemCallException {
        return (int) calls.make(what, Call.SOCKET, family, type | SOCK_CLOEXEC, protocol);
    }

    private void option(int socket, int level, int name, int value) throws SystemCallException {
        ByteBuffer memory = SystemCalls.memory(Integer.BYTES).putInt(value);
        calls.make(
                "an option of a socket",
                Call.SETSOCKOPT,
                socket,
                level,
                name,
                SystemCalls.address(memory),
                Integer.BYTES);
    }

    /** A socket at every address of one family. */
    private int bound(int family, int type, int port) throws SystemCallException {
        String what = (type == SOCK_STREAM ? "tcp" : "udp") + " port " + port + " inside";
        int socket = socket(what, family, type | SOCK_NONBLOCK, 0);
        if (type == SOCK_STREAM) {
            option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
        }
        if (family == AF_INET6) {
            option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 1);
        }
        ByteBuffer address = SystemCalls.memory(family == AF_INET ? 16 : 28)
                .putShort((short) family)
                .put((byte) (port >> 8))
                .put((byte) port);
        calls.make(what, Call.BIND, socket, SystemCalls.address(address), address.capacity());
        if (type == SOCK_STREAM) {
            calls.make(what, Call.LISTEN, socket, BACKLOG);
        }
        return socket;
    }

    private int refusals() throws SystemCallException {
        String what = "a packet socket inside";
        short protocol = Short.reverseBytes((short) ETH_P_ALL);
        int socket = socket(what, AF_PACKET, SOCK_DGRAM, 0); // of no protocol: it gets nothing before it has its filter
        ByteBuffer filter = RefusalFilter.program();
        ByteBuffer program = SystemCalls.memory(16)
                .putShort((short) (filter.capacity() / RefusalFilter.INSTRUCTION_BYTES))
                .putLong(8, SystemCalls.address(filter));
        calls.make(
                what,
                Call.SETSOCKOPT,
                socket,
                SOL_SOCKET,
                SO_ATTACH_FILTER,
                SystemCalls.address(program),
                program.capacity());
        ByteBuffer address = SystemCalls.memory(20) // sockaddr_ll
                .putShort((short) AF_PACKET)
                .putShort(protocol)
                .putInt(LOOPBACK);
        calls.make(what, Call.BIND, socket, SystemCalls.address(address), address.capacity());
        return socket;
    }
}
