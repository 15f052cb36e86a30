package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http2.FrameReader;
import dev.sallyport.core.net.FakeExchanges.Begun;
import dev.sallyport.core.net.FakeExchanges.Quiet;
import dev.sallyport.testsupport.Http2Message;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Http2Peer.Frame;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients of HTTP/2 that make work or hold things: each ends, with one record, and takes nobody with it. */
class Http2FloodTest {

    private Proxy proxy;

    @BeforeEach
    void open() throws IOException {
        proxy = new Proxy(Limits.of("http2: {max_concurrent_streams: 10, max_resets: 50, resets_per_second: 1, "
                + "max_control_frames: 2000, control_frames_per_second: 1}"));
    }

    @AfterEach
    void close() {
        proxy.close();
        assertThat(proxy.exchanges.faults).isEmpty();
    }

    /** A frame that is sent again and again, beside an open stream 1 and a closed stream 3. */
    record Flood(String name, int type, int flags, int stream, byte[] payload) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Flood> floods() {
        return Stream.of(
                new Flood("PING", Http2Peer.PING, 0, 0, new byte[8]),
                new Flood("PING that answers nothing", Http2Peer.PING, Http2Peer.ACK, 0, new byte[8]),
                new Flood("SETTINGS", Http2Peer.SETTINGS, 0, 0, new byte[0]),
                new Flood("SETTINGS that answer nothing", Http2Peer.SETTINGS, Http2Peer.ACK, 0, new byte[0]),
                new Flood("PRIORITY", Http2Peer.PRIORITY, 0, 1, new byte[5]),
                new Flood("PRIORITY of idle streams", Http2Peer.PRIORITY, 0, 101, new byte[5]),
                new Flood("empty DATA", Http2Peer.DATA, 0, 1, new byte[0]),
                new Flood("DATA of padding", Http2Peer.DATA, 8, 1, new byte[] {1, 0}),
                new Flood("unknown frames", 77, 0, 0, new byte[3]),
                new Flood("GOAWAY", Http2Peer.GOAWAY, 0, 0, new byte[8]),
                new Flood("small WINDOW_UPDATE", Http2Peer.WINDOW_UPDATE, 0, 1, Http2Peer.numbers(1)),
                new Flood("RST_STREAM of a closed stream", Http2Peer.RST_STREAM, 0, 3, Http2Peer.numbers(8)));
    }

    @ParameterizedTest
    @MethodSource("floods")
    void isToldToBeCalm(Flood flood) throws IOException {
        proxy.exchanges.on("/held", Quiet::new);
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, false, "POST", "/held").request(3, true, "GET", "/x");
            client.answer(3);
            byte[] frame = Http2Peer.frame(flood.type(), flood.flags(), flood.stream(), flood.payload());
            ByteArrayOutputStream many = new ByteArrayOutputStream();
            for (int i = 0; i < 2500; i++) {
                many.writeBytes(frame);
            }
            sendQuietly(client, many.toByteArray());

            assertThat(client.end().code()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        }
        thenRecorded("http2_enhance_your_calm");
    }

    private static void sendQuietly(Http2Peer client, byte[] bytes) throws IOException {
        try {
            client.raw(bytes);
        } catch (SocketException e) {
            // Closed meanwhile, as it may.
        }
    }

    private void thenRecorded(String code) {
        await().until(() -> proxy.exchanges.recorded.size() == 1);
        assertThat(proxy.exchanges.recorded.getFirst().refusal().code()).isEqualTo(code);
    }

    /** CVE-2023-44487. */
    @Test
    void rapidResetsEndTheConnection() throws IOException {
        List<Quiet> held = new CopyOnWriteArrayList<>();
        proxy.exchanges.on("/held", begun -> {
            held.add(new Quiet(begun));
            return held.getLast();
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            for (int stream = 1; stream < 401; stream += 2) {
                try {
                    client.request(stream, true, "GET", "/held").reset(stream, Http2Error.CANCEL);
                } catch (SocketException e) {
                    break;
                }
            }
            assertThat(client.end().code()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        }
        await().until(() -> held.stream().allMatch(quiet -> quiet.gones.get() == 1));
        assertThat(held).hasSizeLessThan(60);
        thenRecorded("http2_enhance_your_calm");
    }

    /** CVE-2025-8671: the client makes the server reset what it has begun. */
    @Test
    void resetsThatTheClientProvokesCountToo() throws IOException {
        proxy.exchanges.on("/held", Quiet::new);
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            for (int stream = 1; stream < 401; stream += 2) {
                try {
                    client.request(stream, true, "GET", "/held").windowUpdate(stream, 0);
                } catch (SocketException e) {
                    break;
                }
            }
            assertThat(client.end().code()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        }
        assertThat(proxy.exchanges.begun).hasSizeLessThan(60);
    }

    /** The same by another road: bodies that are not what their heads say. */
    @Test
    void lengthsThatAreLiesCountToo() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            for (int stream = 1; stream < 401; stream += 2) {
                try {
                    client.request(stream, false, "POST", "/x", "content-length", "9")
                            .data(stream, true, "a");
                } catch (SocketException e) {
                    break;
                }
            }
            assertThat(client.end().code()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        }
        assertThat(proxy.exchanges.begun).hasSizeLessThan(60);
    }

    @Test
    void streamsBeyondTheLimitAreRefusedUnprocessed() throws IOException {
        proxy.exchanges.on("/held", Quiet::new);
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            for (int stream = 1; stream < 21; stream += 2) {
                client.request(stream, true, "GET", "/held");
            }
            Http2Message beyond = client.request(21, true, "GET", "/held").answer(21);
            assertThat(beyond.reset()).isEqualTo(Http2Error.REFUSED_STREAM);

            client.reset(1, Http2Error.CANCEL);
            assertThat(client.request(23, true, "GET", "/x").answer(23).status())
                    .isEqualTo(200);
            assertThat(proxy.exchanges.begun).hasSize(11);
        }
    }

    @Test
    void aBlockInTooManyFramesEndsTheConnection() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.send(Http2Peer.HEADERS, 0, 1);
            ByteArrayOutputStream many = new ByteArrayOutputStream();
            for (int i = 0; i < 100; i++) {
                many.writeBytes(Http2Peer.frame(Http2Peer.CONTINUATION, 0, 1));
            }
            sendQuietly(client, many.toByteArray());

            assertThat(client.end().code()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        }
        thenRecorded("http2_enhance_your_calm");
    }

    @Test
    void aBlockThatIsFarTooLargeEndsTheConnection() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            sendQuietly(client, Http2Peer.frame(Http2Peer.HEADERS, 0, 1, new byte[16_384]));
            for (int i = 0; i < 12; i++) {
                sendQuietly(client, Http2Peer.frame(Http2Peer.CONTINUATION, 0, 1, new byte[16_384]));
            }
            assertThat(client.end().code()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        }
    }

    /** A small block that refers again and again to one large field. */
    @Test
    void aHeaderBombIs431() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, true, "GET", "/x", "x-bomb", "v".repeat(3900)).answer(1);
            String[] bomb = new String[400];
            for (int i = 0; i < bomb.length; i += 2) {
                bomb[i] = "x-bomb";
                bomb[i + 1] = "v".repeat(3900);
            }
            assertThat(client.request(3, true, "GET", "/x", bomb).answer(3).status())
                    .isEqualTo(431);
            assertThat(client.request(5, true, "GET", "/x").answer(5).status()).isEqualTo(200);
            assertThat(proxy.exchanges.refused.getFirst().refusal().code()).isEqualTo("header_fields_too_large");
        }
    }

    @Test
    void whatIsNoHeaderBlockEndsTheConnectionWithARecord() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.send(Http2Peer.HEADERS, 5, 1, (byte) 0x80);

            assertThat(client.end().code()).isEqualTo(Http2Error.COMPRESSION_ERROR);
        }
        thenRecorded("http2_compression_error");
    }

    @Test
    void aFaultInATunnelThatWasNeverUsedIsTheTunnels() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.tunnel.address()))) {
            client.raw("CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            client.wire().in().readNBytes(39);
            client.greet().send(Http2Peer.DATA, 0, 1);

            assertThat(client.end().code()).isEqualTo(Http2Error.PROTOCOL_ERROR);
        }
        await().until(() -> proxy.exchanges.tunnels.getFirst().ended != null);
        assertThat(proxy.exchanges.tunnels.getFirst().ending()).isEqualTo("REJECT http2_protocol_error");
        assertThat(proxy.exchanges.recorded).isEmpty();
    }

    /** Each would hold a buffer many times its size. */
    @Test
    void manySmallPartsThatNobodyTakesEndTheConnection() throws IOException {
        proxy.exchanges.on("/hoard", begun -> new Quiet(begun) {
            @Override
            public void onData(ByteBuf data) {
                data.release();
            }
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, false, "POST", "/hoard")
                    .data(1, false, "d".repeat(16_384))
                    .data(1, false, "d");
            ByteArrayOutputStream many = new ByteArrayOutputStream();
            for (int i = 0; i < 1000; i++) {
                many.writeBytes(Http2Peer.frame(Http2Peer.DATA, 0, 1, (byte) 'd'));
            }
            sendQuietly(client, many.toByteArray());

            assertThat(client.end().code()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        }
    }

    /** Whether the answer was faster than the malformed frame makes no difference to what the client is told. */
    @Test
    void malformedFramesOnAStreamThatHasEndedAreToldToo() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, true, "GET", "/x").answer(1);

            client.send(Http2Peer.PRIORITY, 0, 1, new byte[4]);
            assertThat(client.next(Http2Peer.RST_STREAM).code()).isEqualTo(Http2Error.FRAME_SIZE_ERROR);
            client.send(Http2Peer.PRIORITY, 0, 1, new byte[] {0, 0, 0, 1, 0});
            assertThat(client.next(Http2Peer.RST_STREAM).code()).isEqualTo(Http2Error.PROTOCOL_ERROR);
            client.windowUpdate(1, 0);
            assertThat(client.next(Http2Peer.RST_STREAM).code()).isEqualTo(Http2Error.PROTOCOL_ERROR);
            client.data(1, false, "x");
            assertThat(client.next(Http2Peer.RST_STREAM).code()).isEqualTo(Http2Error.STREAM_CLOSED);
            assertThat(client.request(3, true, "GET", "/x").answer(3).status()).isEqualTo(200);
        }
    }

    @Test
    void moreThanTheWindowIsReset() throws IOException {
        proxy.exchanges.on("/hoard", begun -> new Quiet(begun) {
            @Override
            public void onData(ByteBuf data) {
                data.release();
            }
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, false, "POST", "/hoard");
            for (int i = 0; i < 5; i++) {
                client.data(1, false, "d".repeat(16_000));
            }
            assertThat(client.answer(1).reset()).isEqualTo(Http2Error.FLOW_CONTROL_ERROR);
            assertThat(client.request(3, true, "GET", "/x").answer(3).status()).isEqualTo(200);
        }
    }

    // Clients that stop.

    private static Proxy impatient() throws IOException {
        return new Proxy(Limits.of("header_read_timeout: 1s, client_idle_timeout: 1s, "
                + "first_bytes_timeout: 1s, client_hello_timeout: 1s"));
    }

    @Test
    void aHeadThatDoesNotEndInTimeEndsTheConnection() throws IOException {
        try (Proxy brief = impatient();
                Http2Peer client =
                        Http2Peer.silent(Wire.to(brief.http.address())).greet()) {
            client.send(Http2Peer.HEADERS, 0, 1, (byte) 0x82);

            assertThat(client.end().code()).isEqualTo(Http2Error.PROTOCOL_ERROR);
            await().until(() -> brief.exchanges.recorded.size() == 1);
        }
    }

    @Test
    void silenceInPlaceOfAPrefaceEndsTheConnection() throws IOException {
        try (Proxy brief = impatient();
                Http2Peer client =
                        Http2Peer.silent(Wire.to(brief.https.address()).tls(brief.clientTls(), "a.test", "h2"))) {
            assertThat(client.end().code()).isEqualTo(Http2Error.PROTOCOL_ERROR);
        }
    }

    @Test
    void settingsThatAreNotAcknowledgedEndTheConnection() throws IOException {
        try (Proxy brief = new Proxy(Limits.of("header_read_timeout: 400ms, client_idle_timeout: 20s, "
                        + "first_bytes_timeout: 5s, client_hello_timeout: 5s"));
                Http2Peer client = Http2Peer.silent(Wire.to(brief.http.address()))) {
            client.raw(FrameReader.PREFACE).send(Http2Peer.SETTINGS, 0, 0);

            assertThat(client.end().code()).isEqualTo(Http2Error.SETTINGS_TIMEOUT);
        }
    }

    @Test
    void aClientThatNeverOpensItsWindowLosesTheStream() throws IOException {
        try (Proxy brief = impatient();
                Http2Peer client =
                        Http2Peer.silent(Wire.to(brief.http.address())).greet(4, 0)) {
            AtomicReference<Quiet> source = new AtomicReference<>();
            brief.exchanges.on("/source", begun -> {
                source.set(endless(begun));
                return source.get();
            });
            client.request(1, true, "GET", "/source");
            Http2Message answer = client.answer(1);

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.reset()).isEqualTo(Http2Error.CANCEL);
            await().until(() -> source.get().gones.get() == 1);
        }
    }

    private static Quiet endless(Begun begun) {
        return new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                request.downstream().head(new ResponseMessage(200, "", new HeaderBlock(), -1), false);
                onWritable();
            }

            @Override
            public void onWritable() {
                while (request.downstream().isWritable()) {
                    request.downstream().data(Unpooled.wrappedBuffer(new byte[8192]));
                }
            }
        };
    }

    @Test
    @Tag("long")
    void aBodyThatDoesNotComeIsAnswered() throws IOException {
        try (Proxy brief = impatient();
                Http2Peer client =
                        Http2Peer.silent(Wire.to(brief.http.address())).greet()) {
            Http2Message answer = client.request(1, false, "POST", "/x").answer(1);

            assertThat(answer.status()).isEqualTo(408);
            assertThat(client.next(Http2Peer.RST_STREAM).code()).isEqualTo(Http2Error.NO_ERROR);
        }
    }

    @Test
    void aStreamThatBothSidesLeaveQuietStays() throws IOException {
        try (Proxy brief = impatient();
                Http2Peer client =
                        Http2Peer.silent(Wire.to(brief.http.address())).greet()) {
            AtomicReference<Begun> begun = new AtomicReference<>();
            brief.exchanges.on("/quiet", request -> {
                begun.set(request);
                request.downstream().head(new ResponseMessage(200, "", new HeaderBlock(), -1), false);
                return new Quiet(request);
            });
            client.request(1, false, "POST", "/quiet");
            // Another stream is looked at, and ended, in the same sweeps.
            assertThat(client.request(3, false, "POST", "/x").answer(3).status())
                    .isEqualTo(408);

            begun.get()
                    .downstream()
                    .loop()
                    .execute(() -> begun.get().downstream().end(new HeaderBlock(1)));
            Frame last = client.next(Http2Peer.DATA);
            assertThat(last.stream()).isEqualTo(1);
            assertThat(last.ends()).isTrue();
        }
    }

    /** The answers of a client that never reads do not pile up, and its connection ends. */
    @Test
    void aClientThatNeverReadsIsLeft() throws IOException {
        try (Proxy brief = impatient();
                Http2Peer client =
                        Http2Peer.silent(Wire.to(brief.http.address())).greet(4, Integer.MAX_VALUE)) {
            client.windowUpdate(0, Integer.MAX_VALUE - 65_535);
            brief.exchanges.on("/source", Http2FloodTest::endless);
            client.request(1, true, "GET", "/source");
            await().until(() -> brief.exchanges.begun.size() == 1);

            await().atMost(Patience.usual()).until(() -> brief.listeners.connections() == 0);
        }
    }
}
