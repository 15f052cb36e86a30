package dev.sallyport.testsupport;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A proxy through which another goes out: HTTP (CONNECT and absolute form) or SOCKS 5. Whatever name it is asked for, it
 * connects to the loopback address, and it remembers what it was asked.
 */
public final class TestParent implements AutoCloseable {

    /** How it misbehaves. */
    public enum Manner {
        /** Not at all. */
        PROPER,
        /** Says nothing. */
        SILENT,
        /** Says something that is no answer. */
        GARBAGE,
        /** Hangs up. */
        CLOSING,
        /** Says no: 403, or 2. */
        REFUSING,
        /** Cannot reach anything: 503, or 4. */
        HELPLESS,
        /** Cannot reach addresses of IPv4. */
        WITHOUT_IPV4
    }

    private final boolean socks;
    private final @Nullable SSLContext tls;
    private final AtomicInteger made = new AtomicInteger();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private final ServerSocket server;
    private volatile String login = "";
    private volatile Manner manner = Manner.PROPER;
    private volatile boolean closing;

    private TestParent(boolean socks, @Nullable SSLContext tls) {
        this(socks, tls, InetAddress.getLoopbackAddress());
    }

    private TestParent(boolean socks, @Nullable SSLContext tls, InetAddress at) {
        this.socks = socks;
        this.tls = tls;
        try {
            this.server = new ServerSocket(0, 200, at);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    public static TestParent http() {
        return new TestParent(false, null);
    }

    /** At another address of this machine than the loopback one. */
    public static TestParent http(InetAddress at) {
        return new TestParent(false, null, at);
    }

    /** Over TLS. */
    public static TestParent https(SSLContext context) {
        return new TestParent(false, context);
    }

    public static TestParent socks() {
        return new TestParent(true, null);
    }

    /** Demands this user and password from now on. */
    public TestParent demanding(String user, String password) {
        login = user + ":" + password;
        return this;
    }

    public TestParent behaving(Manner next) {
        manner = next;
        return this;
    }

    public int port() {
        return server.getLocalPort();
    }

    /** {@code scheme://[login@]localhost:port}. */
    public String url(String scheme) {
        return scheme + "://" + (login.isEmpty() ? "" : login + "@") + "localhost:" + port();
    }

    /** What it was asked for, without credentials: {@code CONNECT 127.0.0.1:80}, {@code GET http://...}, {@code SOCKS x:80}. */
    public List<String> asked() {
        return asked;
    }

    /** How many connections with origins it has made. */
    public int made() {
        return made.get();
    }

    /** Breaks everything off, and listens no more. */
    public void die() throws IOException {
        server.close();
        breakOff();
    }

    /** Breaks off all connections that there are, with clients and with origins. */
    public void breakOff() throws IOException {
        for (Socket socket : open) {
            try {
                socket.setSoLinger(true, 0);
            } catch (SocketException e) {
                // It is closed already.
            }
            socket.close();
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                if (!server.isClosed()) {
                    errors.add(e);
                }
            }
        }
    }

    private void serve(Socket plain) {
        try (plain) {
            Socket socket = plain;
            if (tls != null) {
                SSLSocket secured = (SSLSocket) tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true);
                secured.setUseClientMode(false);
                socket = secured;
            }
            Wire client = new Wire(socket, plain);
            switch (manner) {
                case SILENT -> client.in().transferTo(OutputStream.nullOutputStream());
                case GARBAGE -> {
                    client.send("what do you mean?\r\n\r\n");
                    client.in().transferTo(OutputStream.nullOutputStream());
                }
                case CLOSING -> {}
                default -> {
                    if (socks) {
                        socks(client);
                    } else {
                        http(client);
                    }
                }
            }
        } catch (SocketException | EOFException | SSLException e) {
            // One of the two hung up.
        } catch (IOException | RuntimeException e) {
            if (!closing) {
                errors.add(e);
            }
        } finally {
            open.remove(plain);
        }
    }

    private void http(Wire client) throws IOException {
        String head = client.readHead();
        String[] line = head.lines().findFirst().orElse("").split(" ", -1);
        asked.add(line[0] + " " + line[1]);
        String expected = "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
        if (!login.isEmpty()
                && !Wire.field(head + "\r\n", "Proxy-Authorization").equals(expected)) {
            client.send(Wire.head(
                    "HTTP/1.1 407 Proxy Authentication Required",
                    "Proxy-Authenticate: Basic realm=\"x\"",
                    "Content-Length: 0",
                    "Connection: close"));
            return;
        }
        if (manner == Manner.REFUSING || manner == Manner.HELPLESS || isUnreachable(line[1])) {
            String status = manner == Manner.REFUSING ? "403 Forbidden" : "503 Service Unavailable";
            client.send(Wire.head("HTTP/1.1 " + status, "Content-Length: 2", "Connection: close") + "no");
        } else if (line[0].equals("CONNECT")) {
            try (Socket origin = connect(line[1])) {
                client.send(Wire.head("HTTP/1.1 200 Connection established", "Via: 1.1 parent"));
                relay(client, origin);
            }
        } else {
            forward(client, head, line);
        }
    }

    private boolean isUnreachable(String authority) {
        return manner == Manner.WITHOUT_IPV4 && authority.startsWith("127.");
    }

    /** One request on each connection. */
    private void forward(Wire client, String head, String[] line) throws IOException {
        String rest = line[1].substring("http://".length());
        int slash = rest.indexOf('/');
        String authority = slash < 0 ? rest : rest.substring(0, slash);
        String path = slash < 0 ? "*" : rest.substring(slash);
        StringBuilder own = new StringBuilder(line[0] + " " + path + " HTTP/1.1\r\n");
        head.lines().skip(1).forEach(field -> {
            if (!field.startsWith("Proxy-Authorization")) {
                own.append(field).append("\r\n");
            }
        });
        own.append(Wire.head("Via: 1.1 parent", "Connection: close"));
        try (Socket origin = connect(authority)) {
            origin.getOutputStream().write(own.toString().getBytes(StandardCharsets.ISO_8859_1));
            Thread.ofVirtual().start(() -> pump(client, origin));
            byte[] some = new byte[8192];
            for (int n = origin.getInputStream().read(some);
                    n >= 0;
                    n = origin.getInputStream().read(some)) {
                client.out().write(some, 0, n);
            }
        }
    }

    private Socket connect(String authority) throws IOException {
        int port = Integer.parseInt(authority.substring(authority.lastIndexOf(':') + 1));
        Socket origin = new Socket(InetAddress.getLoopbackAddress(), port);
        open.add(origin);
        made.incrementAndGet();
        return origin;
    }

    private void socks(Wire client) throws IOException {
        int methods = client.read(2).charAt(1);
        String offered = client.read(methods);
        if (!login.isEmpty()) {
            if (offered.indexOf(2) < 0) {
                client.send(new byte[] {5, (byte) 0xFF});
                return;
            }
            client.send(new byte[] {5, 2});
            String user = client.read(client.read(2).charAt(1));
            String password = client.read(client.read(1).charAt(0));
            boolean right = login.equals(user + ":" + password);
            client.send(new byte[] {1, (byte) (right ? 0 : 1)});
            if (!right) {
                return;
            }
        } else {
            client.send(new byte[] {5, 0});
        }
        String host = switch (client.read(4).charAt(3)) {
            case 1 ->
                InetAddress.getByAddress(client.read(4).getBytes(StandardCharsets.ISO_8859_1))
                        .getHostAddress();
            case 3 -> client.read(client.read(1).charAt(0));
            default ->
                "["
                        + InetAddress.getByAddress(client.read(16).getBytes(StandardCharsets.ISO_8859_1))
                                .getHostAddress()
                        + "]";
        };
        String port = client.read(2);
        String authority = host + ":" + (port.charAt(0) << 8 | port.charAt(1));
        asked.add("SOCKS " + authority);
        int failure = manner == Manner.REFUSING ? 2 : manner == Manner.HELPLESS || isUnreachable(authority) ? 4 : 0;
        if (failure != 0) {
            client.send(new byte[] {5, (byte) failure, 0, 1, 0, 0, 0, 0, 0, 0});
            return;
        }
        try (Socket origin = connect(authority)) {
            client.send(new byte[] {5, 0, 0, 3, 4, 'h', 'e', 'r', 'e', 0, 1});
            relay(client, origin);
        }
    }

    private static void relay(Wire client, Socket origin) throws IOException {
        Thread up = Thread.ofVirtual().start(() -> pump(client, origin));
        origin.getInputStream().transferTo(client.out());
        client.endOutput();
        try {
            up.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pump(Wire client, Socket origin) {
        try {
            client.in().transferTo(origin.getOutputStream());
            origin.shutdownOutput();
        } catch (IOException e) {
            // The other direction sees it, too.
        }
    }

    /** Fails when it was used in a way that it does not know. */
    @Override
    public void close() throws IOException {
        closing = true;
        die();
        if (!errors.isEmpty()) {
            throw new AssertionError("the parent failed", errors.peek());
        }
    }
}
