package dev.sallyport.server;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A name server on loopback that knows the addresses of a few names, answers NXDOMAIN for the rest of their zone, and
 * forwards all other questions to the system's resolver. For demonstrations: UDP only, one address for a name.
 */
public final class LocalNames implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LocalNames.class);
    private static final Pattern NAME_SERVER = Pattern.compile("\\s*nameserver\\s+(\\S+).*");
    private static final int DNS_PORT = 53;
    private static final int MAX_MESSAGE = 4096;
    private static final int PATIENCE_MILLIS = 3000;
    private static final int HEADER = 12;
    private static final int TYPE_A = 1;
    private static final int CLASS_IN = 1;
    private static final int TTL_SECONDS = 60;
    private static final int POINTER_TO_QUESTION = 0xC000 | HEADER;
    private static final int ANSWERED = 0x8180;
    private static final int SERVFAIL = 2;
    private static final int NXDOMAIN = 3;

    private final DatagramSocket socket;
    private final String zone;
    private final Map<String, byte[]> addresses;
    private final @Nullable InetSocketAddress elsewhere;

    private LocalNames(
            DatagramSocket socket, String zone, Map<String, byte[]> addresses, @Nullable InetSocketAddress elsewhere) {
        this.socket = socket;
        this.zone = zone;
        this.addresses = Map.copyOf(addresses);
        this.elsewhere = elsewhere;
    }

    /**
     * Starts on this port, or on a free one when it is taken.
     *
     * @param zone the suffix of all names, {@code .demo.test}
     * @param addresses the IPv4 addresses, by name in lower case
     */
    public static LocalNames start(int preferredPort, String zone, Map<String, byte[]> addresses) throws IOException {
        LocalNames names = new LocalNames(bind(preferredPort), zone, addresses, systemResolver());
        Thread.ofPlatform().daemon().name("sallyport-local-names").start(names::serve);
        return names;
    }

    private static DatagramSocket bind(int preferredPort) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try {
            return new DatagramSocket(new InetSocketAddress(loopback, preferredPort));
        } catch (SocketException e) {
            return new DatagramSocket(new InetSocketAddress(loopback, 0));
        }
    }

    private static @Nullable InetSocketAddress systemResolver() {
        try {
            for (String line : Files.readAllLines(Path.of("/etc/resolv.conf"))) {
                Matcher server = NAME_SERVER.matcher(line);
                InetAddress address =
                        server.matches() ? NetUtil.createInetAddressFromIpAddressString(server.group(1)) : null;
                if (address != null) {
                    return new InetSocketAddress(address, DNS_PORT);
                }
            }
        } catch (IOException e) {
            LOG.debug("no resolver in /etc/resolv.conf: {}", e.toString());
        }
        return null;
    }

    /** Where it listens. */
    public int port() {
        return socket.getLocalPort();
    }

    private void serve() {
        while (!socket.isClosed()) {
            DatagramPacket packet = new DatagramPacket(new byte[MAX_MESSAGE], MAX_MESSAGE);
            try {
                socket.receive(packet);
                byte[] query = Arrays.copyOf(packet.getData(), packet.getLength());
                answer(query, packet.getSocketAddress());
            } catch (IOException | RuntimeException e) {
                if (!socket.isClosed()) {
                    LOG.debug("cannot answer a question: {}", e.toString());
                }
            }
        }
    }

    private void answer(byte[] query, SocketAddress client) throws IOException {
        Question question = Question.of(query);
        byte[] address = addresses.get(question.name);
        if (address != null) {
            send(reply(query, question, question.asksForIpv4() ? address : null, 0), client);
        } else if (question.name.endsWith(zone)) {
            send(reply(query, question, null, NXDOMAIN), client);
        } else {
            Thread.startVirtualThread(() -> passOn(query, question, client));
        }
    }

    private void passOn(byte[] query, Question question, SocketAddress client) {
        try (DatagramSocket upstream = new DatagramSocket()) {
            if (elsewhere == null) {
                send(reply(query, question, null, SERVFAIL), client);
                return;
            }
            upstream.setSoTimeout(PATIENCE_MILLIS);
            upstream.connect(elsewhere);
            upstream.send(new DatagramPacket(query, query.length));
            DatagramPacket packet = new DatagramPacket(new byte[MAX_MESSAGE], MAX_MESSAGE);
            upstream.receive(packet);
            send(Arrays.copyOf(packet.getData(), packet.getLength()), client);
        } catch (IOException e) {
            LOG.debug("cannot ask {}: {}", elsewhere, e.toString());
        }
    }

    private void send(byte[] message, SocketAddress client) throws IOException {
        socket.send(new DatagramPacket(message, message.length, client));
    }

    /** RFC 1035, 4.1: repeats the question, with the address if there is one. */
    private static byte[] reply(byte[] query, Question question, byte @Nullable [] address, int code) {
        ByteBuffer reply = ByteBuffer.allocate(question.end + 16);
        reply.put(query, 0, question.end);
        if (address != null) {
            reply.putShort((short) POINTER_TO_QUESTION)
                    .putShort((short) TYPE_A)
                    .putShort((short) CLASS_IN)
                    .putInt(TTL_SECONDS)
                    .putShort((short) address.length)
                    .put(address);
        }
        reply.putShort(2, (short) (ANSWERED | code))
                .putShort(4, (short) 1)
                .putShort(6, (short) (address == null ? 0 : 1))
                .putShort(8, (short) 0)
                .putShort(10, (short) 0);
        return Arrays.copyOf(reply.array(), reply.position());
    }

    @Override
    public void close() {
        socket.close();
    }

    /**
     * A question.
     *
     * @param name lower case, without a dot at the end
     * @param end where the question ends in the message
     */
    private record Question(String name, int type, int end) {

        /** Throws on malformed input, which then gets no reply. */
        static Question of(byte[] query) {
            ByteBuffer in = ByteBuffer.wrap(query).position(HEADER);
            StringBuilder name = new StringBuilder();
            for (int length = in.get(); length != 0; length = in.get()) {
                byte[] label = new byte[length];
                in.get(label);
                name.append(name.isEmpty() ? "" : ".").append(new String(label, StandardCharsets.ISO_8859_1));
            }
            int type = in.getShort();
            in.getShort();
            return new Question(name.toString().toLowerCase(Locale.ROOT), type, in.position());
        }

        boolean asksForIpv4() {
            return type == TYPE_A;
        }
    }
}
