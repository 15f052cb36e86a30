package dev.sallyport.it.attack;

import static dev.sallyport.testsupport.Http2Peer.END_HEADERS;
import static dev.sallyport.testsupport.Http2Peer.END_STREAM;
import static dev.sallyport.testsupport.Http2Peer.HEADERS;
import static dev.sallyport.testsupport.Http2Peer.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Patience;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Heads that are held, in more ways than one, must not fill a heap of 256 MiB; others are answered meanwhile. */
class HeadFloodTest {

    private static final String HEAP = "-Xmx256m";
    private static final Duration PATIENCE = Patience.usual();
    private static final int STREAMS = 100;
    private static final int CRUMBS = 14;

    @TempDir
    Path folder;

    @Tag("long")
    @Test
    void crumbsThatOneBytePointsTo() throws Exception {
        try (Attacked proxy = Attacked.start(folder, HEAP)) {
            for (int i = 0; i < 120; i++) {
                send(proxy.attack(proxy.http()), crumbs());
            }

            thenOthersAreAnswered(proxy);
            // Answered one and all: what was asked is given up with the answer, although nobody takes that.
            thenRecorded(proxy, "reject/403/gate", 120 * STREAMS);
        }
    }

    @Tag("long")
    @Test
    void headsThatEndWithoutBeingAnswered() throws Exception {
        try (Attacked proxy = Attacked.start(folder, HEAP)) {
            for (int i = 0; i < 60; i++) {
                send(proxy.attack(proxy.http()), waiting());
            }

            thenOthersAreAnswered(proxy);
            thenRecorded(proxy, "error/503/overloaded", 1);
        }
    }

    @Tag("long")
    @Test
    void unfinishedHeads() throws Exception {
        String head =
                "GET / HTTP/1.1\r\nHost: denied.example\r\n" + ("X-Long: " + "x".repeat(1000) + "\r\n").repeat(58);
        String lines = "GET / HTTP/1.1\r\nHost: denied.example\r\n" + "a:b\r\n".repeat(150);
        try (Attacked proxy = Attacked.start(folder, HEAP)) {
            for (int i = 0; i < 2400; i++) {
                send(proxy.attack(proxy.http()), (i % 2 == 0 ? head : lines).getBytes(StandardCharsets.US_ASCII));
            }

            thenOthersAreAnswered(proxy);
            thenRecorded(proxy, "error/503/overloaded", 1);
        }
    }

    private static void thenRecorded(Attacked proxy, String kind, long times) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(proxy.records())
                        .hasEntrySatisfying(kind, n -> assertThat(n).isGreaterThanOrEqualTo(times)));
    }

    private static void thenOthersAreAnswered(Attacked proxy) throws IOException {
        for (int i = 0; i < 20; i++) {
            assertThat(proxy.statusForOthers()).isEqualTo(403);
        }
        assertThat(proxy.lives()).isTrue();
    }

    private static void send(Socket to, byte[] bytes) throws IOException {
        try {
            OutputStream out = to.getOutputStream();
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            assertThat(e).as("at most closed by the proxy").hasMessageNotContaining("refused");
        }
    }

    /** Streams that each name one long crumb of the table fourteen times, with no window for their answers. */
    private static byte[] crumbs() {
        ByteArrayOutputStream all = preface();
        for (int i = 0; i < STREAMS; i++) {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            first(block, i == 0, "denied.example");
            block.writeBytes(again(CRUMBS - (i == 0 ? 1 : 0)));
            all.writeBytes(Http2Peer.frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, block.toByteArray()));
        }
        return all.toByteArray();
    }

    /** As {@link #crumbs}, but for a host whose transform waits for the end of a body that does not come. */
    private static byte[] waiting() {
        ByteArrayOutputStream all = preface();
        for (int i = 0; i < STREAMS; i++) {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            first(block, i == 0, "read-body.localhost");
            block.writeBytes(again(CRUMBS - (i == 0 ? 1 : 0)));
            all.writeBytes(Http2Peer.frame(HEADERS, END_HEADERS, 2 * i + 1, block.toByteArray()));
        }
        return all.toByteArray();
    }

    private static ByteArrayOutputStream preface() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        all.writeBytes(Http2Peer.frame(SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 0}));
        return all;
    }

    /** {@code :method: GET, :scheme: http, :path: /}, and an authority and a cookie that are put into the table or named. */
    private static void first(ByteArrayOutputStream block, boolean add, String authority) {
        block.writeBytes(new byte[] {(byte) 0x82, (byte) 0x86, (byte) 0x84});
        if (!add) {
            block.write(0xBF);
            return;
        }
        block.write(0x41);
        block.write(authority.length());
        block.writeBytes(authority.getBytes(StandardCharsets.US_ASCII));
        block.write(0x60);
        block.writeBytes(new byte[] {0x7F, (byte) (0x80 | ((3900 - 127) & 0x7F)), (byte) ((3900 - 127) >> 7)});
        block.writeBytes("c".repeat(3900).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] again(int times) {
        byte[] references = new byte[times];
        java.util.Arrays.fill(references, (byte) 0xBE);
        return references;
    }
}
