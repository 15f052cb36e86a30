package dev.sallyport.server.archive;

import dev.sallyport.server.Failure;
import dev.sallyport.server.Trust;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Clients that behave like workloads: most keep an intercepted connection, one uses plain HTTP, and now and then one
 * opens a new connection, sends a placeholder, uses HTTP/2, resolves a name, or requests something that is denied.
 */
final class SampleLoad {

    static final String KEY = "sample-credential-of-forty-bytes-0123456";

    private static final int CLIENTS = 4;
    private static final int PER_CONNECTION = 2000;
    private static final int RARELY = 50;
    private static final int HTTP2_REQUESTS = 200;
    private static final int PATIENCE_MILLIS = 10_000;
    private static final int DNS_TRIES = 20;
    private static final int DNS_TRY_MILLIS = 500;
    private static final Duration PATIENCE = Duration.ofMillis(PATIENCE_MILLIS);
    private static final String FIELDS = "User-Agent: sample/1\r\nAccept: */*\r\nX-Request-Id: 7f9c24e8\r\n";

    private final InetSocketAddress proxy;
    private final int dnsPort;
    private final SampleOrigin origin;
    private final SSLContext trust;

    SampleLoad(InetSocketAddress proxy, int dnsPort, SampleOrigin origin, Path caCertificate) throws Failure {
        this.proxy = proxy;
        this.dnsPort = dnsPort;
        this.origin = origin;
        this.trust = Trust.in(caCertificate);
    }

    /** Runs for this long and returns the number of requests. Fails when a response is not the expected one. Blocks. */
    long run(Duration time) throws Failure, InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        List<Callable<Long>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            boolean secure = i > 0;
            clients.add(() -> keepAsking(secure, end));
        }
        clients.add(this::speakHttp2);
        clients.add(this::askForNames);
        long requests = 0;
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            for (Future<Long> client : threads.invokeAll(clients)) {
                requests += client.get();
            }
        } catch (ExecutionException e) {
            throw new Failure("archive: a sample client failed: " + e.getCause());
        }
        return requests;
    }

    private long keepAsking(boolean secure, long end) throws IOException {
        long requests = 0;
        while (System.nanoTime() < end) {
            try (Socket socket = secure ? tunnel() : connect()) {
                String authority = SampleOrigin.NAME + ":" + (secure ? origin.securePort() : origin.plainPort());
                String prefix = secure ? "" : "http://" + authority;
                InputStream in = new BufferedInputStream(socket.getInputStream());
                for (int i = 0; i < PER_CONNECTION && System.nanoTime() < end; i++) {
                    String path = i % RARELY == 1 ? "/v1/captured" : "/v1/things?number=" + i;
                    String fields = i % RARELY == 2 ? FIELDS + "Authorization: Bearer sample-placeholder\r\n" : FIELDS;
                    boolean denied = i % RARELY == 3;
                    send(
                            socket,
                            "GET " + prefix + (denied ? "/admin" : path) + " HTTP/1.1\r\nHost: " + authority + "\r\n"
                                    + fields + "\r\n");
                    int status = receive(in);
                    if (status != (denied ? 403 : 200)) {
                        throw new IOException("the status is " + status);
                    }
                    requests++;
                }
            }
        }
        return requests;
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(proxy, PATIENCE_MILLIS);
        return socket;
    }

    private Socket tunnel() throws IOException {
        Socket socket = connect();
        String authority = SampleOrigin.NAME + ":" + origin.securePort();
        send(socket, "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
        String head = head(socket.getInputStream());
        if (!head.startsWith("HTTP/1.1 200 ")) {
            throw new IOException("CONNECT: " + head.lines().findFirst().orElse("closed"));
        }
        SSLSocket secure =
                (SSLSocket) trust.getSocketFactory().createSocket(socket, SampleOrigin.NAME, origin.securePort(), true);
        secure.startHandshake();
        return secure;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Byte by byte: another reader takes what follows the head. */
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || head.charAt(head.length() - 1) != '\n' || head.charAt(head.length() - 3) != '\n') {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the proxy closed the connection");
            }
            head.append((char) next);
        }
        return head.toString();
    }

    /** Returns the status after reading the whole body. */
    private static int receive(InputStream in) throws IOException {
        int length = 0;
        List<String> lines = head(in).lines().toList();
        for (String line : lines) {
            if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        in.skipNBytes(length);
        return Integer.parseInt(lines.getFirst().substring(9, 12));
    }

    private long speakHttp2() throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .proxy(ProxySelector.of(proxy))
                .sslContext(trust)
                .connectTimeout(PATIENCE)
                .build()) {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("https://" + SampleOrigin.NAME + ":" + origin.securePort() + "/v1/things"))
                    .timeout(PATIENCE)
                    .build();
            for (int i = 0; i < HTTP2_REQUESTS; i++) {
                HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
                if (response.statusCode() != 200) {
                    throw new IOException("the status over HTTP/2 is " + response.statusCode());
                }
            }
        }
        return HTTP2_REQUESTS;
    }

    /** Queries an address (RFC 1035) of a steered name; repeats the query if the datagram is lost. */
    private long askForNames() throws IOException {
        byte[] query = {
            0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 'a', 'p', 'i', 6, 's', 'a', 'm', 'p', 'l', 'e', 4, 't', 'e', 's',
            't', 0, 0, 1, 0, 1
        };
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(DNS_TRY_MILLIS);
            for (int tries = 1; ; tries++) {
                socket.send(new DatagramPacket(query, query.length, proxy.getAddress(), dnsPort));
                try {
                    socket.receive(new DatagramPacket(new byte[512], 512));
                    return tries;
                } catch (SocketTimeoutException e) {
                    if (tries == DNS_TRIES) {
                        throw e;
                    }
                }
            }
        }
    }
}
