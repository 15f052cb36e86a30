package dev.sallyport.compare.net;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A name server (RFC 1035) to which every name is this machine: proxies must look up names, as they do in earnest. */
public final class NameServer implements AutoCloseable {

    private static final int HEADER = 12;
    private static final int TYPE_A = 1;
    private static final int TTL_SECONDS = 60;

    private final DatagramSocket socket;

    /** Throws where the port is taken or needs privileges. */
    public NameServer(InetSocketAddress address) throws SocketException {
        socket = new DatagramSocket(address);
        Thread thread = new Thread(this::serve, "names");
        thread.setDaemon(true);
        thread.start();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private void serve() {
        byte[] bytes = new byte[1500];
        while (!socket.isClosed()) {
            DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
            try {
                socket.receive(packet);
                byte[] answer = answer(Arrays.copyOf(bytes, packet.getLength()));
                if (answer.length > 0) {
                    socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    System.err.println("names: " + e.getMessage());
                }
            }
        }
    }

    /** The answer to a query; empty for what is none. */
    static byte[] answer(byte[] query) {
        int end = endOfQuestion(query);
        if (end < 0) {
            return new byte[0];
        }
        boolean address = query[end - 3] == TYPE_A && query[end - 4] == 0;
        ByteBuffer answer = ByteBuffer.allocate(end + 16);
        answer.put(query, 0, end);
        answer.put(2, (byte) (0x84 | (query[2] & 1))).put(3, (byte) 0x80);
        answer.putShort(4, (short) 1).putShort(6, (short) (address ? 1 : 0));
        answer.putShort(8, (short) 0).putShort(10, (short) 0);
        if (address) {
            answer.putShort((short) 0xC00C).putShort((short) TYPE_A).putShort((short) 1);
            answer.putInt(TTL_SECONDS).putShort((short) 4);
            answer.put(new byte[] {127, 0, 0, 1});
        }
        return Arrays.copyOf(answer.array(), answer.position());
    }

    private static int endOfQuestion(byte[] query) {
        int at = HEADER;
        while (at < query.length && query[at] > 0) {
            at += query[at] + 1;
        }
        return at + 5 <= query.length ? at + 5 : -1;
    }

    @Override
    public void close() {
        socket.close();
    }
}
