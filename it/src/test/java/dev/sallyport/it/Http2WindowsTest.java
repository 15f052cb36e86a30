package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Http2Peer.Frame;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bodies that are together longer than the window of a whole connection of HTTP/2, on one connection of the client and on
 * one to the origin: it has to be restored on either side, and is kept to on either side.
 */
@Timeout(120)
class Http2WindowsTest {

    private static final int BODY = 8 << 20;

    /** 40 MiB: the proxy grants clients 16 MiB, origins 25. */
    private static final int EXCHANGES = 5;

    @TempDir
    Path folder;

    /** One end that keeps to the windows that it is granted, and grants what it has taken. */
    private static final class Peer {

        private static final int LONGEST = 16_384;

        private final Http2Peer wire;
        private long connection = 65_535;
        private long initial = 65_535;
        private long stream;
        private int current;

        Peer(Http2Peer wire) {
            this.wire = wire;
        }

        /** The next frame; what is said of windows is remembered. */
        Frame next() throws IOException {
            Frame frame = wire.any();
            assertThat(frame.type())
                    .as(() -> "type of frame " + new String(frame.payload(), StandardCharsets.ISO_8859_1))
                    .isNotIn(Http2Peer.RST_STREAM, Http2Peer.GOAWAY);
            if (frame.type() == Http2Peer.SETTINGS) {
                settings(frame);
            } else if (frame.type() == Http2Peer.WINDOW_UPDATE && frame.stream() == 0) {
                connection += frame.number(0);
            } else if (frame.type() == Http2Peer.WINDOW_UPDATE && frame.stream() == current) {
                stream += frame.number(0);
            }
            return frame;
        }

        private void settings(Frame frame) throws IOException {
            if (frame.flags() == Http2Peer.ACK) {
                return;
            }
            for (int at = 0; at < frame.payload().length; at += 6) {
                if (frame.payload()[at + 1] == Http2Peer.INITIAL_WINDOW_SIZE) {
                    int size = frame.number(at + 2);
                    stream += size - initial;
                    initial = size;
                }
            }
            wire.send(Http2Peer.SETTINGS, Http2Peer.ACK, 0, new byte[0]);
        }

        /** Begins to send on a stream. */
        void on(int number) {
            current = number;
            stream = initial;
        }

        /** Sends a body on the current stream and ends it. */
        void body(int bytes) throws IOException {
            int left = bytes;
            while (left > 0) {
                int size = (int) Math.min(Math.min(left, LONGEST), Math.min(connection, stream));
                if (size > 0) {
                    left -= size;
                    connection -= size;
                    stream -= size;
                    wire.data(current, left == 0, new byte[size]);
                } else {
                    next();
                }
            }
        }

        /** Takes the head of a message. */
        void head() throws IOException {
            Frame frame = next();
            while (frame.type() != Http2Peer.HEADERS) {
                frame = next();
            }
            wire.fields(frame);
            on(frame.stream());
        }

        /** Takes a frame with data, whatever comes before it, and credits it; its length. */
        int small() throws IOException {
            while (true) {
                Frame frame = next();
                int size = frame.payload().length;
                if (frame.type() == Http2Peer.DATA && size > 0) {
                    wire.windowUpdate(0, size);
                    wire.windowUpdate(frame.stream(), size);
                    return size;
                }
                if (frame.type() == Http2Peer.HEADERS) {
                    wire.fields(frame);
                }
            }
        }

        /** Takes a message to its end; the length of its body. */
        int message() throws IOException {
            int length = 0;
            while (true) {
                Frame frame = next();
                if (frame.type() == Http2Peer.HEADERS) {
                    wire.fields(frame);
                } else if (frame.type() == Http2Peer.DATA) {
                    int size = frame.payload().length;
                    length += size;
                    if (size > 0) {
                        wire.windowUpdate(0, size);
                        wire.windowUpdate(frame.stream(), size);
                    }
                }
                if (frame.ends() && frame.type() <= Http2Peer.HEADERS) {
                    on(frame.stream());
                    return length;
                }
            }
        }
    }

    @Test
    void uploadsAreLongerThanTheWindowsOfTheirConnections() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    Peer end = new Peer(peer.http2());
                    for (int i = 0; i < EXCHANGES; i++) {
                        int length = end.message();
                        end.wire.ok(end.current, "taken " + length);
                    }
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Peer client = new Peer(Http2Peer.connect(wire));
            for (int i = 0; i < EXCHANGES; i++) {
                client.on(2 * i + 1);
                ask(client, "POST", origin, false);
                client.body(BODY);

                assertThat(client.message()).isEqualTo(("taken " + BODY).length());
            }
            assertThat(origin.connections()).isOne();
            assertThat(proxy.record().at("/audit/request_bytes").asInt()).isEqualTo(BODY);
        }
    }

    @Test
    void downloadsAreLongerThanTheWindowsOfTheirConnections() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    Peer end = new Peer(peer.http2());
                    for (int i = 0; i < EXCHANGES; i++) {
                        end.message();
                        end.wire.headers(end.current, false, ":status", "200");
                        end.body(BODY);
                    }
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Peer client = new Peer(Http2Peer.connect(wire));
            for (int i = 0; i < EXCHANGES; i++) {
                client.on(2 * i + 1);
                ask(client, "GET", origin, true);

                assertThat(client.message()).isEqualTo(BODY);
            }
            assertThat(origin.connections()).isOne();
        }
    }

    /** What splits a frame once must not split it in each round, down to frames of a byte (RFC 1122, 4.2.3.4). */
    @Test
    void creditInHalvesDoesNotMakeFramesEverSmaller() throws Exception {
        int body = 1 << 20;
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    Peer end = new Peer(peer.http2());
                    end.message();
                    end.wire.headers(end.current, false, ":status", "200");
                    end.body(body);
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Peer client = new Peer(Http2Peer.connect(wire));
            client.on(1);
            ask(client, "GET", origin, true);

            int length = 0;
            int frames = 0;
            while (length < body) {
                Frame frame = client.next();
                int size = frame.type() == Http2Peer.DATA ? frame.payload().length : 0;
                for (int credit : new int[] {size / 2, size - size / 2}) {
                    if (credit > 0) {
                        client.wire.windowUpdate(0, credit);
                        client.wire.windowUpdate(1, credit);
                        LockSupport.parkNanos(200_000);
                    }
                }
                length += size;
                frames += size > 0 ? 1 : 0;
            }

            assertThat(length).isEqualTo(body);
            assertThat(frames).isLessThan(2 * body / 1024);
        }
    }

    /** As a stream of small messages, each of which the client credits, for the stream and for the connection. */
    @Test
    void smallMessagesMayBeCreditedOneByOne() throws Exception {
        int messages = 8000;
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    Peer end = new Peer(peer.http2());
                    end.head();
                    end.wire.headers(end.current, false, ":status", "200");
                    for (int i = 0; i < messages; i++) {
                        end.small();
                        end.wire.data(end.current, false, new byte[1]);
                    }
                    peer.readToEnd();
                });
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire wire = proxy.http()) {
            Peer client = new Peer(Http2Peer.connect(wire));
            client.on(1);
            ask(client, "POST", origin, false);
            for (int i = 0; i < messages; i++) {
                client.wire.data(1, false, new byte[1]);
                assertThat(client.small()).isOne();
            }
        }
    }

    private static void ask(Peer client, String method, TestOrigin origin, boolean end) throws IOException {
        client.wire.headers(
                client.current,
                end,
                ":method",
                method,
                ":scheme",
                "http",
                ":path",
                "/",
                ":authority",
                origin.authority());
    }
}
