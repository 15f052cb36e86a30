package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A body far larger than the heap of the proxy has placeholders all over, also between any two pieces, and arrives with
 * all of them swapped. {@code -Dsallyport.large.body=5368709120} for 5 GiB, {@code -Dsallyport.large.heap=64m}.
 */
class SmallHeapTest {

    private static final long SIZE = Long.getLong("sallyport.large.body", 256L << 20);
    private static final String HEAP = System.getProperty("sallyport.large.heap", "64m");
    private static final int PIECE = 64 << 10;
    private static final String VALUE = "r34l-credential-that-is-longer-than-its-placeholder";
    private static final int PATIENCE_MINUTES = 15;

    @TempDir
    Path folder;

    /** What an origin got. */
    private record Arrived(long bytes, long checksum) {}

    @Test
    @Tag("long")
    void aBodyFarLargerThanTheHeapIsReplaced() throws Exception {
        // given
        long pieces = SIZE / PIECE;
        Process process = proxy();
        try (BufferedReader out = process.inputReader();
                ServerSocket origin = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = Integer.parseInt(out.readLine().substring("port ".length()));
            CompletableFuture<Arrived> arrived = listen(origin);
            // when
            long begin = System.nanoTime();
            String status = send(port, origin.getLocalPort(), pieces);
            Arrived got = arrived.get(PATIENCE_MINUTES, TimeUnit.MINUTES);
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            // then
            assertThat(status).startsWith("HTTP/1.1 200 ");
            assertThat(got).isEqualTo(expected(pieces));
            process.getOutputStream().close();
            System.out.println(
                    pieces * PIECE / (1 << 20) + " MiB in " + millis + " ms with -Xmx" + HEAP + ", " + out.readLine());
            assertThat(process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private Process proxy() throws IOException {
        // What it says must be its own lines only.
        Path quiet = Files.writeString(folder.resolve("logback.xml"), "<configuration/>");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + HEAP,
                "--enable-native-access=ALL-UNNAMED",
                "-Dlogback.configurationFile=" + quiet));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), SmallHeapProxy.class.getName()));
        command.addAll(List.of(folder.toString(), VALUE));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** A piece ends with the first half of a placeholder and begins with the second, and has another in the middle. */
    private static byte[] piece(String begin, String middle, String end) {
        int filler = PIECE - "HOLDER".length() - "PLACEHOLDER".length() - "PLACE".length();
        String half = "some text PLACEHOLDE ".repeat(PIECE / 20).substring(0, filler / 2);
        String rest = "x".repeat(filler - filler / 2);
        return (begin + half + middle + rest + end).getBytes(StandardCharsets.US_ASCII);
    }

    private static String send(int proxy, int origin, long pieces) throws IOException {
        byte[] piece = piece("HOLDER", "PLACEHOLDER", "PLACE");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy)) {
            OutputStream out = socket.getOutputStream();
            out.write(("PUT /large HTTP/1.1\r\nHost: api.localhost:" + origin
                            + "\r\nConnection: close\r\nContent-Length: " + pieces * PIECE + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            for (long i = 0; i < pieces; i++) {
                out.write(piece);
            }
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private static Arrived expected(long pieces) {
        CRC32 checksum = new CRC32();
        byte[] first = piece("HOLDER", VALUE, "");
        byte[] other = piece(VALUE, VALUE, "");
        byte[] end = "PLACE".getBytes(StandardCharsets.US_ASCII);
        checksum.update(first);
        for (long i = 1; i < pieces; i++) {
            checksum.update(other);
        }
        checksum.update(end);
        return new Arrived(first.length + (pieces - 1) * other.length + end.length, checksum.getValue());
    }

    /** Takes one request whose body comes in chunks (RFC 9112, 7.1), and answers 200. */
    private static CompletableFuture<Arrived> listen(ServerSocket server) {
        CompletableFuture<Arrived> arrived = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("origin").start(() -> {
            try (Socket socket = server.accept()) {
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), PIECE));
                arrived.complete(read(in));
                socket.getOutputStream()
                        .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException | RuntimeException e) {
                arrived.completeExceptionally(e);
            }
        });
        return arrived;
    }

    private static Arrived read(DataInputStream in) throws IOException {
        while (!line(in).isEmpty()) {
            // The head does not matter.
        }
        CRC32 checksum = new CRC32();
        byte[] chunk = new byte[PIECE];
        long bytes = 0;
        for (int size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
            if (size > chunk.length) {
                chunk = new byte[size];
            }
            in.readFully(chunk, 0, size);
            checksum.update(chunk, 0, size);
            bytes += size;
            line(in);
        }
        line(in);
        return new Arrived(bytes, checksum.getValue());
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
            line.append((char) c);
        }
        return line.toString().strip();
    }
}
