package dev.sallyport.server.flood;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** An origin that is no better than its clients. What it does, the path says. */
final class Origin implements AutoCloseable {

    private static final int BACKLOG = 1000;
    private static final int SMALL_BUFFER = 4096;
    private static final Pattern KEY = Pattern.compile("(?i)sec-websocket-key: *(\\S+)");
    private static final String MANY_FIELDS = ("X-Long: " + "x".repeat(1000) + "\r\n").repeat(55);

    // Whole answers, made once: whoever makes them anew for each request keeps two processors from the proxy.
    private static final byte[] EXPANDING = coded(expanding());
    private static final byte[] BOMB = coded(packed(64));
    private static final byte[] AMPERSANDS = plain("&".repeat(4 << 20));
    private static final byte[] VALUES = plain((Victim.SHORT_VALUE + "; ").repeat(250_000));
    private static final byte[] MESSAGES = bytes(new String(new char[] {0x81, 1, 'x'}).repeat(200_000));
    private static final byte[] FIELDS =
            bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n" + MANY_FIELDS + "\r\n");
    private static final byte[] INTERIM = bytes("HTTP/1.1 103 Early Hints\r\n" + MANY_FIELDS + "\r\n");
    private static final byte[] TRAILERS =
            bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n" + MANY_FIELDS + "\r\n");
    private static final byte[] OK = bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

    private final ServerSocket listener;
    private final boolean silent;
    private final Thread.Builder threads;
    private final Set<Socket> open = Collections.newSetFromMap(new ConcurrentHashMap<>());

    private Origin(boolean silent, Thread.Builder threads) throws IOException {
        this.silent = silent;
        this.threads = threads;
        listener = new ServerSocket();
        listener.setReceiveBufferSize(SMALL_BUFFER);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        threads.start(this::accept);
    }

    /** One for thousands of connections. */
    static Origin ofMany() throws IOException {
        return new Origin(false, Thread.ofVirtual());
    }

    /** One whose few connections wait for none of the others' in this process. */
    static Origin ofFew() throws IOException {
        return new Origin(false, Thread.ofPlatform().daemon().name("origin of few"));
    }

    /** One that takes connections, and reads nothing. */
    static Origin silent() throws IOException {
        return new Origin(true, Thread.ofVirtual());
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                open.add(socket);
                threads.start(() -> serve(socket));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (!silent) {
                String head = Attacker.head(in);
                String[] words = head.split(" ", 3);
                // Behind the end of a body that was not read there may be anything.
                if (words.length < 3
                        || !answer(socket, head, URI.create(words[1]).getPath())) {
                    return; // It stays open, and nothing is read.
                }
            }
        } catch (IOException | GeneralSecurityException e) {
            open.remove(socket);
        }
    }

    /** Whether another request is read. */
    private static boolean answer(Socket socket, String head, String path)
            throws IOException, GeneralSecurityException {
        switch (path) {
            case "/sink" -> {
                return false;
            }
            case "/fields" -> {
                Attacker.send(socket, FIELDS);
                return false;
            }
            case "/interim" -> {
                for (int i = 0; i < 60; i++) {
                    Attacker.send(socket, INTERIM);
                }
                Attacker.send(socket, OK);
            }
            case "/trailers" -> Attacker.send(socket, TRAILERS);
            case "/bomb" -> Attacker.send(socket, BOMB);
            case "/expanding" -> Attacker.send(socket, EXPANDING);
            case "/ampersands" -> Attacker.send(socket, AMPERSANDS);
            case "/values" -> Attacker.send(socket, VALUES);
            case "/messages" -> {
                Attacker.send(socket, switched(head));
                Attacker.send(socket, MESSAGES);
                return false;
            }
            case "/socket" -> {
                Attacker.send(socket, switched(head));
                return false;
            }
            default -> Attacker.send(socket, OK);
        }
        return true;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] plain(String body) {
        return bytes(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    private static byte[] coded(byte[] body) {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.writeBytes(
                bytes("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: "
                        + body.length + "\r\n\r\n"));
        answer.writeBytes(body);
        return answer.toByteArray();
    }

    private static String switched(String head) throws IOException, GeneralSecurityException {
        return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + (head.contains("permessage-deflate")
                        ? "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover\r\n"
                        : "")
                + "Sec-WebSocket-Accept: " + accept(head) + "\r\n\r\n";
    }

    private static String accept(String head) throws IOException, GeneralSecurityException {
        Matcher key = KEY.matcher(head);
        if (!key.find()) {
            throw new IOException("no key");
        }
        byte[] hash = MessageDigest.getInstance("SHA-1")
                .digest((key.group(1) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
        return Base64.getEncoder().encodeToString(hash);
    }

    /** So many MiB of nothing, a thousandth of that on the wire. */
    private static byte[] packed(int mebibytes) {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(coded)) {
            byte[] nothing = new byte[1 << 20];
            for (int i = 0; i < mebibytes; i++) {
                gzip.write(nothing);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return coded.toByteArray();
    }

    /** As much as a body may expand, of what is searched with the most trouble. */
    private static byte[] expanding() {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        Random random = new Random(11);
        try (OutputStream gzip = new GZIPOutputStream(coded)) {
            byte[] block = new byte[4096];
            for (int i = 0; i < 1300; i++) {
                Arrays.fill(block, (byte) (i % 2 == 0 ? 0 : '%'));
                for (int n = 0; n < 8; n++) {
                    block[random.nextInt(block.length)] = (byte) random.nextInt();
                }
                gzip.write(block);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return coded.toByteArray();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
