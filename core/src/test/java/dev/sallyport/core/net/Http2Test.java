package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.audit.AuditRecord.Action;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http2.FrameReader;
import dev.sallyport.core.http2.FrameWriter;
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
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HTTP/2 with clients (RFC 9113; docs/spec/decisions.md, section 4). */
class Http2Test {

    private static final int WINDOW = FrameWriter.INITIAL_WINDOW;

    private Proxy proxy;

    @BeforeEach
    void open() throws IOException {
        proxy = new Proxy();
    }

    @AfterEach
    void close() {
        proxy.close();
        assertThat(proxy.exchanges.faults).isEmpty();
    }

    // The ways in.

    @Test
    void isNegotiatedByAlpnAndNamesItselfInTheConnection() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.https.address()).tls(proxy.clientTls(), "a.test", "h2"))
                .greet()) {
            Http2Message answer = client.request(1, true, "GET", "/x?q").answer(1);

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("GET a.test:443 /x?q 0");
            Begun begun = proxy.exchanges.begun.getFirst();
            assertThat(begun.connection().protocol()).isEqualTo("h2");
            assertThat(begun.connection().alpn()).isEqualTo("h2");
            assertThat(begun.connection().sni()).isEqualTo("a.test");
        }
    }

    @Test
    void isTakenWithPriorKnowledgeOnTheHttpAndTheTunnelListener() throws IOException {
        for (Listener listener : List.of(proxy.http, proxy.tunnel)) {
            try (Http2Peer client =
                    Http2Peer.silent(Wire.to(listener.address())).greet()) {
                assertThat(client.request(1, true, "GET", "/x").answer(1).body())
                        .isEqualTo("GET a.test:80 /x 0");
            }
        }
    }

    @Test
    void isTakenWithPriorKnowledgeInsideATunnel() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.tunnel.address()))) {
            client.raw("CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(client.wire().in().readNBytes(39), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200")
                    .endsWith("\r\n\r\n");
            client.greet();

            assertThat(client.request(1, true, "GET", "/x").answer(1).body()).isEqualTo("GET a.test:80 /x 0");
            assertThat(proxy.exchanges.begun.getFirst().connection().tunnelTarget())
                    .isEqualTo("a.test:80");
            assertThat(proxy.exchanges.tunnels.getFirst().uses).hasValue(1);
        }
    }

    @Test
    void takesAPrefaceInPieces() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address()))) {
            for (byte b : FrameReader.PREFACE) {
                client.raw(new byte[] {b});
            }
            client.send(Http2Peer.SETTINGS, 0, 0);

            assertThat(client.request(1, true, "GET", "/x").answer(1).status()).isEqualTo(200);
        }
    }

    @Test
    void leavesWhatOnlyBeginsLikeThePrefaceToHttp1() throws IOException {
        try (Wire client = Wire.to(proxy.http.address())) {
            client.trickle("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n");

            assertThat(client.response().status()).isEqualTo(400);
        }
        try (Wire client = Wire.to(proxy.http.address())) {
            assertThat(client.trickle("PRIX /p HTTP/1.1\r\nHost: a.test\r\n\r\n")
                            .response()
                            .body())
                    .isEqualTo("PRIX a.test:80 /p 0");
        }
    }

    @Test
    void servesJavasClientThroughATunnel() throws Exception {
        try (HttpClient client = javaClient()) {
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 90; i++) {
                HttpRequest request = HttpRequest.newBuilder(URI.create("https://a.test/echo"))
                        .POST(HttpRequest.BodyPublishers.ofString(("body " + i + ' ').repeat(1 + i * 20)))
                        .build();
                answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
                if (i == 0) {
                    answers.getFirst().get(Patience.SECONDS, TimeUnit.SECONDS);
                }
            }
            for (int i = 0; i < answers.size(); i++) {
                HttpResponse<String> answer = answers.get(i).get(Patience.SECONDS, TimeUnit.SECONDS);
                assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
                assertThat(answer.body()).isEqualTo(("body " + i + ' ').repeat(1 + i * 20));
            }
        }
    }

    private HttpClient javaClient() {
        InetSocketAddress tunnel = proxy.tunnel.address();
        return HttpClient.newBuilder()
                .sslContext(proxy.clientTls())
                .version(HttpClient.Version.HTTP_2)
                .proxy(ProxySelector.of(tunnel))
                .connectTimeout(Duration.ofSeconds(20))
                .build();
    }

    // Heads.

    @Test
    void makesAHeadThatHttp1CouldHaveSent() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(
                            1,
                            true,
                            "GET",
                            "/x",
                            "x-a",
                            "1",
                            "cookie",
                            "a=1",
                            "te",
                            "trailers",
                            "cookie",
                            "b=2",
                            "proxy-authorization",
                            "Basic eDp5",
                            "x-b",
                            "2")
                    .answer(1);

            HeaderBlock headers = proxy.exchanges.begun.getFirst().head().headers();
            assertThat(IntStream.range(0, headers.size()).mapToObj(i -> headers.name(i) + ": " + headers.value(i)))
                    .containsExactly("Host: a.test", "x-a: 1", "cookie: a=1; b=2", "te: trailers", "x-b: 2");
        }
    }

    @Test
    void takesHostInPlaceOfAuthorityAndBesideItWhenTheyAgree() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.headers(1, true, ":method", "GET", ":scheme", "http", ":path", "/", "host", "b.test");
            assertThat(client.answer(1).body()).isEqualTo("GET b.test:80 / 0");

            client.request(3, true, "GET", "/", "host", "A.test");
            assertThat(client.answer(3).body()).isEqualTo("GET a.test:80 / 0");
            assertThat(proxy.exchanges.begun.getLast().head().headers().all("host"))
                    .containsExactly("a.test");
        }
    }

    @Test
    void writesNamesInLowerCaseAndNothingOfHttp1() throws IOException {
        proxy.exchanges.on("/", begun -> new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                FakeExchanges.respond(
                        request.downstream(), 200, "x", "X-Upper", "1", "Keep-Alive", "5", "Set-Cookie", "a=1");
            }
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            for (int stream = 1; stream < 7; stream += 2) {
                Http2Message answer = client.request(stream, true, "GET", "/").answer(stream);

                assertThat(answer.head().names().stream().map(Object::toString))
                        .containsExactly(":status", "x-upper", "set-cookie", "content-length");
                assertThat(answer.head().get("set-cookie")).hasToString("a=1");
            }
        }
    }

    @Test
    void sendsInterimHeadsBeforeTheFinalOne() throws IOException {
        proxy.exchanges.on("/hints", begun -> new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                HeaderBlock hint = new HeaderBlock();
                hint.append("Link", "</a.css>; rel=preload");
                request.downstream().interim(new ResponseMessage(103, "Early Hints", hint, 0));
                FakeExchanges.respond(request.downstream(), 200, "done");
            }
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            Http2Message answer = client.request(1, true, "GET", "/hints").answer(1);

            assertThat(answer.interim()).containsExactly(103);
            assertThat(answer.body()).isEqualTo("done");

            client.request(3, false, "POST", "/echo", "expect", "100-continue");
            assertThat(client.section(client.next(Http2Peer.HEADERS)).status()).hasToString("100");
            assertThat(client.data(3, true, "abc").answer(3).body()).isEqualTo("abc");
        }
    }

    @Test
    void passesTrailersBothWays() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, false, "POST", "/echo").data(1, false, "abc").headers(1, true, "x-t", "1");
            Http2Message answer = client.answer(1);

            assertThat(answer.body()).isEqualTo("abc");
            assertThat(answer.trailers().get("x-t")).hasToString("1");
        }
    }

    @Test
    void headAndStatusesWithoutBodyEndWithTheirHead() throws IOException {
        for (int status : List.of(204, 304)) {
            proxy.exchanges.on("/" + status, begun -> new Quiet(begun) {
                @Override
                public void onEnd(HeaderBlock trailers) {
                    request.downstream().head(new ResponseMessage(status, "", new HeaderBlock(), 0), true);
                }
            });
        }
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            Http2Message head = client.request(1, true, "HEAD", "/x").answer(1);

            assertThat(head.head().get("content-length")).hasToString("19");
            assertThat(head.body()).isEmpty();
            assertThat(client.request(3, true, "GET", "/204").answer(3).ended()).isTrue();
            assertThat(client.request(5, true, "GET", "/304").answer(5).ended()).isTrue();
        }
    }

    @Test
    void sendsAHeadThatIsLargerThanAFrame() throws IOException {
        String large = "v".repeat(50_000);
        proxy.exchanges.on("/", begun -> new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                FakeExchanges.respond(request.downstream(), 200, "x", "X-Large", large);
            }
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, true, "GET", "/");
            Frame first = client.next(Http2Peer.HEADERS);

            assertThat(first.flags() & Http2Peer.END_HEADERS).isZero();
            var block = new ByteArrayOutputStream();
            block.writeBytes(first.payload());
            Frame next;
            do {
                next = client.nextOrNull();
                assertThat(next.type()).isEqualTo(Http2Peer.CONTINUATION);
                assertThat(next.payload().length).isLessThanOrEqualTo(16_384);
                block.writeBytes(next.payload());
            } while ((next.flags() & Http2Peer.END_HEADERS) == 0);
            assertThat(block.size()).isGreaterThan(50_000);
        }
    }

    @Test
    void takesAHeadInManyFrames() throws IOException {
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            byte[] block = client.block(
                    ":method", "GET", ":scheme", "http", ":authority", "a.test", ":path", "/x", "x-a", "b".repeat(600));
            client.send(Http2Peer.HEADERS, Http2Peer.END_STREAM, 1, Arrays.copyOf(block, 3));
            client.send(Http2Peer.CONTINUATION, 0, 1, Arrays.copyOfRange(block, 3, 200));
            client.send(Http2Peer.CONTINUATION, Http2Peer.END_HEADERS, 1, Arrays.copyOfRange(block, 200, block.length));

            assertThat(client.answer(1).status()).isEqualTo(200);
        }
    }

    // CONNECT.

    @Test
    void refusesConnectAsTheDecisionSays() throws IOException {
        try (Http2Peer client =
                Http2Peer.silent(Wire.to(proxy.tunnel.address())).greet()) {
            client.headers(1, false, ":method", "CONNECT", ":authority", "b.test:443");
            Http2Message answer = client.answer(1);

            assertThat(answer.status()).isEqualTo(405);
            assertThat(proxy.exchanges.refused.getFirst().destination()).hasToString("b.test:443");
            assertThat(client.request(3, true, "GET", "/").answer(3).status()).isEqualTo(200);
        }
    }

    @Test
    void carriesAWebSocketOfRfc8441AsAnUpgrade() throws IOException {
        List<String> heard = new CopyOnWriteArrayList<>();
        AtomicReference<Quiet> socket = new AtomicReference<>();
        proxy.exchanges.on("/ws", begun -> {
            socket.set(new Quiet(begun) {
                @Override
                public void onData(ByteBuf data) {
                    heard.add(data.toString(StandardCharsets.US_ASCII));
                    request.downstream().consumed(data.readableBytes());
                    request.downstream().data(data);
                }
            });
            return socket.get();
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            Frame settings = client.next(Http2Peer.SETTINGS);
            assertThat(HexFormat.of().formatHex(settings.payload())).contains("000800000001");
            client.request(1, false, "CONNECT", "/ws", ":protocol", "websocket", "sec-websocket-version", "13");
            client.data(1, false, "early");
            await().until(() -> socket.get() != null && socket.get().ends.get() == 1);
            Begun begun = proxy.exchanges.begun.getFirst();
            assertThat(begun.upgrade()).isEqualTo("websocket");
            assertThat(begun.head().method()).isEqualTo("GET");
            assertThat(heard).isEmpty();

            begun.downstream().loop().execute(() -> {
                HeaderBlock headers = new HeaderBlock();
                headers.append("Sec-WebSocket-Accept", "x").append("Sec-WebSocket-Protocol", "chat");
                begun.downstream().head(new ResponseMessage(101, "", headers, 0), false);
            });
            var head = client.section(client.next(Http2Peer.HEADERS));
            assertThat(head.status()).hasToString("200");
            assertThat(head.get("sec-websocket-protocol")).hasToString("chat");
            assertThat(head.contains("sec-websocket-accept")).isFalse();
            assertThat(new String(client.next(Http2Peer.DATA).payload(), StandardCharsets.US_ASCII))
                    .isEqualTo("early");
            client.data(1, true, "late");
            assertThat(new String(client.next(Http2Peer.DATA).payload(), StandardCharsets.US_ASCII))
                    .isEqualTo("late");
            await().until(() -> socket.get().ends.get() == 2);
            begun.downstream().loop().execute(() -> begun.downstream().end(new HeaderBlock(1)));
            assertThat(client.answer(1).ended()).isTrue();
        }
    }

    /** Each half of what follows an upgrade ends by itself, whichever is first. */
    @Test
    void theClientsHalfOfAWebSocketOutlivesTheOrigins() throws IOException {
        AtomicReference<Quiet> socket = new AtomicReference<>();
        proxy.exchanges.on("/ws", begun -> {
            socket.set(new Quiet(begun));
            begun.downstream().loop().execute(() -> {
                begun.downstream().head(new ResponseMessage(101, "", new HeaderBlock(), 0), false);
                begun.downstream().end(new HeaderBlock(1));
            });
            return socket.get();
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, false, "CONNECT", "/ws", ":protocol", "websocket", "sec-websocket-version", "13");
            assertThat(client.answer(1).ended()).isTrue();
            client.data(1, false, "more").data(1, true, "last");

            await().until(() -> socket.get().ends.get() == 2);
            assertThat(socket.get().received).hasValue(8);
            assertThat(socket.get().gones).hasValue(0);
            assertThat(client.request(3, true, "GET", "/x").answer(3).status()).isEqualTo(200);
        }
    }

    // Bodies.

    /** Keeps what it gets, and the credit for it. */
    private static final class Hoarder extends Quiet {

        Hoarder(Begun request) {
            super(request);
        }

        @Override
        public void onData(ByteBuf data) {
            received.addAndGet(data.readableBytes());
            data.release();
        }
    }

    @Test
    void aStreamThatIsNotReadHoldsUpNoOther() throws IOException {
        List<Hoarder> hoarders = new CopyOnWriteArrayList<>();
        proxy.exchanges.on("/hoard", begun -> {
            Hoarder hoarder = new Hoarder(begun);
            hoarders.add(hoarder);
            return hoarder;
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            String part = "d".repeat(13_107);
            for (int stream = 1; stream < 161; stream += 2) {
                client.request(stream, false, "POST", "/hoard");
                for (int i = 0; i < WINDOW / part.length(); i++) {
                    client.data(stream, false, part);
                }
            }
            client.request(161, false, "POST", "/echo").data(161, true, part);

            assertThat(client.answer(161).body()).isEqualTo(part);
            assertThat(hoarders).hasSize(80).allMatch(hoarder -> hoarder.received.get() == WINDOW);
        }
    }

    @Test
    void grantsAStreamMoreAsItsBytesLeave() throws IOException {
        AtomicReference<Hoarder> hoarder = new AtomicReference<>();
        proxy.exchanges.on("/hoard", begun -> {
            hoarder.set(new Hoarder(begun));
            return hoarder.get();
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, false, "POST", "/hoard");
            client.data(1, false, "d".repeat(16_000)).data(1, false, "d".repeat(16_000));
            client.data(1, false, "d".repeat(16_000));
            await().until(() -> hoarder.get() != null && hoarder.get().received.get() == 48_000);
            Begun begun = proxy.exchanges.begun.getFirst();
            begun.downstream().loop().execute(() -> begun.downstream().consumed(48_000));

            Frame update = client.next(Http2Peer.WINDOW_UPDATE);
            while (update.stream() == 0) {
                update = client.next(Http2Peer.WINDOW_UPDATE);
            }
            assertThat(update.lastStream()).isEqualTo(48_000);
        }
    }

    @Test
    void sendsNoMoreThanTheClientsWindowsAllowAndHoldsLittle() throws IOException {
        AtomicInteger sent = new AtomicInteger();
        proxy.exchanges.on("/source", begun -> new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                request.downstream().head(new ResponseMessage(200, "", new HeaderBlock(), -1), false);
                onWritable();
            }

            @Override
            public void onWritable() {
                while (request.downstream().isWritable() && sent.get() < 300_000) {
                    request.downstream().data(Unpooled.wrappedBuffer(new byte[10_000]));
                    sent.addAndGet(10_000);
                }
                if (sent.get() == 300_000) {
                    sent.incrementAndGet();
                    request.downstream().end(new HeaderBlock(1));
                }
            }
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet(4, 1000)) {
            client.request(1, true, "GET", "/source");
            client.next(Http2Peer.HEADERS);
            assertThat(client.next(Http2Peer.DATA).payload()).hasSize(1000);
            assertThat(sent.get()).isLessThanOrEqualTo(80_000);
            assertThat(client.request(3, true, "GET", "/x").answer(3).status()).isEqualTo(200);

            client.windowUpdate(0, 1_000_000).windowUpdate(1, 1_000_000);
            assertThat(client.answer(1).body()).hasSize(299_000);
        }
    }

    /** RFC 9113, 8.1. */
    @Test
    void aResponseBeforeTheRequestsEndIsFollowedByAResetWithoutError() throws IOException {
        answersEarly(proxy);
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            Http2Message answer = client.request(1, false, "POST", "/early").answer(1);

            assertThat(answer.body()).isEqualTo("no");
            assertThat(answer.ended()).isTrue();
            assertThat(client.next(Http2Peer.RST_STREAM).code()).isEqualTo(Http2Error.NO_ERROR);
            client.data(1, true, "still on its way");
            assertThat(client.request(3, true, "GET", "/x").answer(3).status()).isEqualTo(200);
        }
    }

    /** Many clients report a reset instead of the answer that came before it: curl before 8, for one. */
    @Test
    void whoEndsItsRequestSoonAfterAnEarlyResponseIsNotReset() throws IOException {
        answersEarly(proxy);
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            assertThat(client.request(1, false, "POST", "/early").answer(1).body())
                    .isEqualTo("no");
            client.data(1, false, "x".repeat(WINDOW / 4)).data(1, true, "and the end");

            client.request(3, true, "GET", "/x");
            List<Frame> frames = framesUpToTheEndOf(client, 3);
            assertThat(frames).noneMatch(frame -> frame.stream() == 1);
        }
    }

    @Test
    void afterAnEarlyResponseTheWindowDoesNotGrow() throws IOException {
        answersEarly(proxy);
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            assertThat(client.request(1, false, "POST", "/early").answer(1).body())
                    .isEqualTo("no");
            for (int sent = 0; sent + 15_000 <= WINDOW; sent += 15_000) {
                client.data(1, false, "x".repeat(15_000));
            }
            client.request(3, true, "GET", "/x");

            assertThat(framesUpToTheEndOf(client, 3))
                    .noneMatch(frame -> frame.stream() == 1 && frame.type() == Http2Peer.WINDOW_UPDATE);
            Http2Message beyond = client.data(1, false, "x".repeat(15_000)).answer(1);
            assertThat(beyond.reset()).isEqualTo(Http2Error.FLOW_CONTROL_ERROR);
        }
    }

    @Test
    void aStreamCountsUntilItsRequestHasEndedToo() throws IOException {
        answersEarly(proxy);
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            int most = Limits.DEFAULTS.http2().maxConcurrentStreams();
            for (int i = 0; i < most; i++) {
                assertThat(client.request(1 + 2 * i, false, "POST", "/early")
                                .answer(1 + 2 * i)
                                .ended())
                        .isTrue();
            }
            int next = 1 + 2 * most;
            assertThat(client.request(next, true, "GET", "/x").answer(next).reset())
                    .isEqualTo(Http2Error.REFUSED_STREAM);
            assertThat(proxy.exchanges.recorded)
                    .singleElement()
                    .satisfies(record -> assertThat(record.refusal().code()).isEqualTo("too_many_streams"));

            client.data(1, true, "");
            assertThat(client.request(next + 2, true, "GET", "/x")
                            .answer(next + 2)
                            .status())
                    .isEqualTo(200);
        }
    }

    private static void answersEarly(Proxy proxy) {
        proxy.exchanges.on("/early", begun -> {
            FakeExchanges.respond(begun.downstream(), 403, "no");
            return new Quiet(begun);
        });
    }

    private static List<Frame> framesUpToTheEndOf(Http2Peer client, int stream) throws IOException {
        List<Frame> frames = new ArrayList<>();
        for (Frame frame = client.nextOrNull(); frame != null; frame = client.nextOrNull()) {
            frames.add(frame);
            if (frame.stream() == stream && frame.ends()) {
                break;
            }
        }
        return frames;
    }

    @Test
    void anAbortIsAResetThatNobodyTakesForAnEnd() throws IOException {
        proxy.exchanges.on("/broken", begun -> new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                request.downstream().head(new ResponseMessage(200, "", new HeaderBlock(), -1), false);
                request.downstream().data(Unpooled.copiedBuffer("half", StandardCharsets.US_ASCII));
                request.downstream().loop().execute(request.downstream()::abort);
            }
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            Http2Message answer = client.request(1, true, "GET", "/broken").answer(1);

            assertThat(answer.ended()).isFalse();
            assertThat(answer.reset()).isEqualTo(Http2Error.INTERNAL_ERROR);
        }
    }

    @Test
    void aResponseThatIsShorterOrLongerThanDeclaredIsReset() throws IOException {
        for (int length : List.of(3, 5)) {
            proxy.exchanges.on("/lie" + length, begun -> new Quiet(begun) {
                @Override
                public void onEnd(HeaderBlock trailers) {
                    HeaderBlock headers = new HeaderBlock();
                    headers.append("Content-Length", "4");
                    request.downstream().head(new ResponseMessage(200, "", headers, 4), false);
                    request.downstream().data(Unpooled.wrappedBuffer(new byte[length]));
                    request.downstream().end(new HeaderBlock(1));
                }
            });
        }
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            assertThat(client.request(1, true, "GET", "/lie3").answer(1).reset())
                    .isEqualTo(Http2Error.INTERNAL_ERROR);
            assertThat(client.request(3, true, "GET", "/lie5").answer(3).reset())
                    .isEqualTo(Http2Error.INTERNAL_ERROR);
        }
    }

    @Test
    void aResetByTheClientOrItsLeavingTellsTheExchangeOnce() throws IOException {
        List<Quiet> held = new CopyOnWriteArrayList<>();
        proxy.exchanges.on("/held", begun -> {
            held.add(new Quiet(begun));
            return held.getLast();
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, true, "GET", "/held").request(3, true, "GET", "/held");
            client.reset(1, Http2Error.CANCEL);
            await().until(() -> held.size() == 2 && held.getFirst().gones.get() == 1);
            assertThat(held.getLast().gones).hasValue(0);
            assertThat(client.request(5, true, "GET", "/x").answer(5).status()).isEqualTo(200);
        }
        await().until(() -> held.getLast().gones.get() == 1);
        assertThat(held).allMatch(quiet -> quiet.gones.get() == 1 && quiet.broken.isEmpty());
    }

    // Permits.

    @Test
    void aRequestWithoutPermitWaitsWithItsBodyWhileOthersGoOn() throws IOException {
        proxy.exchanges.permits.set(1);
        AtomicReference<Begun> first = new AtomicReference<>();
        proxy.exchanges.on("/held", begun -> {
            first.set(begun);
            return new Quiet(begun);
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, true, "GET", "/held");
            client.request(3, false, "POST", "/echo").data(3, false, "abc").headers(3, true, "x-t", "1");
            client.request(5, true, "GET", "/cancelled").reset(5, Http2Error.CANCEL);
            client.send(Http2Peer.PING, 0, 0, new byte[8]);
            client.next(Http2Peer.PING);
            assertThat(proxy.exchanges.begun).hasSize(1);
            assertThat(proxy.exchanges.waiting())
                    .as("the second request, and the record of the third")
                    .isEqualTo(2);

            first.get()
                    .downstream()
                    .loop()
                    .execute(() -> FakeExchanges.respond(first.get().downstream(), 200, "1"));
            assertThat(client.answer(1).body()).isEqualTo("1");
            proxy.exchanges.morePermits(5);
            Http2Message answer = client.answer(3);
            assertThat(answer.body()).isEqualTo("abc");
            assertThat(answer.trailers().get("x-t")).hasToString("1");
            assertThat(proxy.exchanges.begun).hasSize(2);
            await().until(() -> proxy.exchanges.recorded.size() == 1);
            assertThat(proxy.exchanges.recorded.getFirst().head().path()).isEqualTo("/cancelled");
            assertThat(proxy.exchanges.endings.getFirst().action()).isEqualTo(Action.CLIENT_CANCEL);
        }
    }

    // The end.

    @Test
    void drainsInTwoSteps() throws Exception {
        AtomicReference<Begun> held = new AtomicReference<>();
        proxy.exchanges.on("/held", begun -> {
            held.set(begun);
            return new Quiet(begun);
        });
        try (Http2Peer client = Http2Peer.silent(Wire.to(proxy.http.address())).greet()) {
            client.request(1, true, "GET", "/held");
            await().until(() -> held.get() != null);
            var drained = proxy.listeners.shutdown(Duration.ofSeconds(20)).toCompletableFuture();

            Frame warning = client.next(Http2Peer.GOAWAY);
            assertThat(warning.code()).isEqualTo(Http2Error.NO_ERROR);
            assertThat(warning.lastStream()).isEqualTo(Integer.MAX_VALUE);
            Frame ping = client.next(Http2Peer.PING);
            assertThat(client.request(3, true, "GET", "/crossing").answer(3).status())
                    .isEqualTo(200);
            client.send(Http2Peer.PING, Http2Peer.ACK, 0, ping.payload());
            Frame last = client.next(Http2Peer.GOAWAY);
            assertThat(last.lastStream()).isEqualTo(3);
            client.request(5, true, "GET", "/late");

            held.get()
                    .downstream()
                    .loop()
                    .execute(() -> FakeExchanges.respond(held.get().downstream(), 200, "done"));
            assertThat(client.answer(1).body()).isEqualTo("done");
            client.end();
            client.close();
            assertThat(drained.get(Patience.SECONDS, TimeUnit.SECONDS).aborted())
                    .isZero();
            assertThat(proxy.exchanges.begun).hasSize(2);
        }
    }

    @Test
    void anIdleConnectionIsToldAndClosed() throws IOException {
        try (Proxy brief = new Proxy(Limits.of("header_read_timeout: 5s, client_idle_timeout: 300ms, "
                        + "first_bytes_timeout: 5s, client_hello_timeout: 5s"));
                Http2Peer client =
                        Http2Peer.silent(Wire.to(brief.http.address())).greet()) {
            assertThat(client.request(1, true, "GET", "/x").answer(1).status()).isEqualTo(200);
            Frame last = client.next(Http2Peer.GOAWAY);

            assertThat(last.code()).isEqualTo(Http2Error.NO_ERROR);
            assertThat(last.lastStream()).isEqualTo(1);
            assertThat(client.nextOrNull()).isNull();
        }
    }
}
