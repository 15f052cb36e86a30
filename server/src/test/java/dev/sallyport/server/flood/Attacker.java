package dev.sallyport.server.flood;

import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Somebody with an address of his own, whose connections stay open until he is closed. */
final class Attacker implements AutoCloseable {

    private static final int MOST = 100_000;

    /** CR LF CR LF. */
    private static final int END_OF_HEAD = 0x0D0A0D0A;

    private static final int PATIENCE_MILLIS = Patience.MILLIS;

    /** What the kernel takes of a new connection, whether or not the proxy reads it. */
    private static final int BEGINNING = 16_384;

    private final Victim victim;
    private final int origin;
    private final int nowhere;
    private final String address;
    private final String others;
    private final List<Socket> open = Collections.synchronizedList(new ArrayList<>());

    Attacker(Victim victim, int origin, int nowhere, String address) {
        this.victim = victim;
        this.origin = origin;
        this.nowhere = nowhere;
        this.address = address;
        this.others = "127." + address.substring(address.lastIndexOf('.') + 1) + ".";
    }

    String address() {
        return address;
    }

    /** Whether he has this address: the one from which he comes, or another one of his. */
    boolean owns(String client) {
        return client.equals(address) || client.startsWith(others);
    }

    /** A host of the origin's, as {@code Host} names it. */
    String host(String name) {
        return name + ".localhost:" + origin;
    }

    /** A host that takes connections, and reads nothing. */
    String silent(String name) {
        return name + ".localhost:" + nowhere;
    }

    /** An address at which nobody listens. */
    String literal(int number) {
        return others + (number >> 8 & 255) + "." + (number & 255) + ":" + origin;
    }

    InetSocketAddress dns() {
        return victim.dns();
    }

    Socket http() throws IOException {
        return connect(victim.http());
    }

    Socket https() throws IOException {
        return connect(victim.https());
    }

    Socket tunnel() throws IOException {
        return connect(victim.tunnel());
    }

    /** From another one of his addresses, of which there are 2^16. */
    Socket httpFrom(int number) throws IOException {
        return connect(victim.http(), others + (number >> 8 & 255) + "." + (number & 255));
    }

    Socket connect(InetSocketAddress where) throws IOException {
        return connect(where, address);
    }

    private Socket connect(InetSocketAddress where, String from) throws IOException {
        Socket socket = new Socket();
        open.add(socket);
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(where, PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    /**
     * Sends, as far as the proxy takes it: it may close, or read no more, whenever it likes. The beginning, in which the
     * head of a message lies, is on its way when this returns: an exchange that is counted was asked for. The rest is not
     * waited for.
     */
    static void pour(Socket into, byte[] bytes) {
        int beginning = Math.min(bytes.length, BEGINNING);
        try {
            send(into, bytes, 0, beginning);
        } catch (IOException e) {
            return; // Enough, says the proxy.
        }
        if (beginning == bytes.length) {
            return;
        }
        Thread.ofVirtual().start(() -> sendAsFarAsTaken(into, bytes, beginning));
    }

    /** Sends all of it, or until the proxy closes. */
    static void sendAsFarAsTaken(Socket into, byte[] bytes) {
        sendAsFarAsTaken(into, bytes, 0);
    }

    private static void sendAsFarAsTaken(Socket into, byte[] bytes, int from) {
        try {
            send(into, bytes, from, bytes.length);
        } catch (IOException e) {
            // Enough, says the proxy.
        }
    }

    /** Waits until they have sent what they have. */
    static void join(List<Thread> senders) {
        for (Thread sender : senders) {
            try {
                if (!sender.join(Patience.seconds(60))) {
                    throw new AssertionError("nobody takes the rest, and nobody ends the connection");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    static void send(Socket into, byte[] bytes) throws IOException {
        send(into, bytes, 0, bytes.length);
    }

    private static void send(Socket into, byte[] bytes, int from, int to) throws IOException {
        OutputStream out = into.getOutputStream();
        out.write(bytes, from, to - from);
        out.flush();
    }

    static void send(Socket into, String head) throws IOException {
        send(into, head.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The head of an answer; its first line has the status. Nothing behind it is read. */
    static String head(Socket from) throws IOException {
        return head(from.getInputStream());
    }

    /** The head of the next message. */
    static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        int last = 0;
        while (last != END_OF_HEAD) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the connection ended, after: " + head);
            }
            head.append((char) next);
            last = last << Byte.SIZE | next;
            if (head.length() > MOST) {
                throw new IOException("no head of a message");
            }
        }
        return head.toString();
    }

    /** Reads until the proxy has had enough of it. */
    static void drain(Socket from) {
        try {
            from.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (SocketTimeoutException e) {
            throw new AssertionError("nobody ends this connection", e);
        } catch (IOException e) {
            // Reset.
        }
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : List.copyOf(open)) {
            socket.close();
        }
    }
}
