package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.net.FakeExchanges.Begun;
import dev.sallyport.core.net.FakeExchanges.Quiet;
import dev.sallyport.core.net.http1.ClientHttp1Decoder;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.testsupport.Wire.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HTTP/1.1 with clients (RFC 9112; docs/spec/decisions.md, section 4). */
class Http1Test {

    private static final String H = " HTTP/1.1\r\nHost: a.test\r\n";

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

    @Test
    void serves1000RequestsOnOneConnection() throws IOException {
        try (Wire client = Wire.to(proxy.http.address())) {
            for (int i = 0; i < 1000; i++) {
                assertThat(client.get("/" + i + "?q", "a.test").body()).isEqualTo("GET a.test:80 /" + i + "?q 0");
            }
            assertThat(proxy.listeners.connections()).isEqualTo(1);
        }
    }

    @Test
    void answersPipelinedRequestsInOrderAndOneAtATime() throws IOException {
        List<Begun> held = new ArrayList<>();
        proxy.exchanges.on("/held", begun -> {
            held.add(begun);
            return new Quiet(begun);
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("GET /held" + H + "\r\nGET /b" + H + "\r\nPOST /echo" + H + "Content-Length: 3\r\n\r\nabcGET /d"
                    + H + "\r\n");
            await().until(() -> proxy.exchanges.begun.size() == 1);
            Begun first = held.getFirst();
            first.downstream().loop().execute(() -> FakeExchanges.respond(first.downstream(), 200, "first"));

            assertThat(client.response().body()).isEqualTo("first");
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /b 0");
            assertThat(client.response().body()).isEqualTo("abc");
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /d 0");
        }
    }

    @Test
    void answersAThousandPipelinedRequests() throws IOException {
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send(("GET /x" + H + "\r\n").repeat(1000));
            for (int i = 0; i < 1000; i++) {
                assertThat(client.response().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void keepsOrderAndCasingOfFieldsAndAddsNoDate() throws IOException {
        proxy.exchanges.on("/", begun -> new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                FakeExchanges.respond(request.downstream(), 200, "x", "x-lower", "1", "X-UPPER", "2", "x-lower", "3");
            }
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            Message response = client.send("GET /" + H + "ACCEPT: a\r\nx-b: 1\r\nAccept: c\r\n\r\n")
                    .response();

            assertThat(response.startLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(response.fields())
                    .containsExactly("x-lower: 1", "X-UPPER: 2", "x-lower: 3", "Content-Length: 1");
            HeaderBlock headers = proxy.exchanges.begun.getFirst().head().headers();
            assertThat(IntStream.range(0, headers.size()).mapToObj(headers::name))
                    .containsExactly("Host", "ACCEPT", "x-b", "Accept");
        }
    }

    @Test
    void removesWhatIsMeantForThisConnectionOnly() throws IOException {
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("GET /" + H
                            + "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nTE: gzip, trailers\r\n"
                            + "Proxy-Connection: x\r\nUpgrade: h2c\r\nX-Stays: 1\r\n\r\n")
                    .response();

            HeaderBlock headers = proxy.exchanges.begun.getFirst().head().headers();
            assertThat(headers.names()).containsExactly("Host", "TE", "X-Stays");
            assertThat(headers.first("TE")).isEqualTo("trailers");
            assertThat(proxy.exchanges.begun.getFirst().upgrade()).isNull();
        }
    }

    @Test
    void takesAbsoluteFormOnTheHttpAndTheTunnelListener() throws IOException {
        for (Listener listener : List.of(proxy.http, proxy.tunnel)) {
            try (Wire client = Wire.to(listener.address())) {
                Message response = client.send("GET http://b.test:81/p?q HTTP/1.1\r\nHost: a.test\r\n\r\n")
                        .response();

                assertThat(response.body()).isEqualTo("GET b.test:81 /p?q 0");
                assertThat(proxy.exchanges.begun.getLast().head().headers().first("Host"))
                        .isEqualTo("b.test:81");
                assertThat(client.send("OPTIONS http://b.test HTTP/1.1\r\nHost: a.test\r\n\r\n")
                                .response()
                                .body())
                        .isEqualTo("OPTIONS b.test:80 * 0");
            }
        }
    }

    @Test
    void refusesConnectOnOtherListenersWith405() throws IOException {
        try (Wire client = Wire.to(proxy.http.address())) {
            Message response = client.send(
                            "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\nGET /smuggled" + H + "\r\n")
                    .response();

            assertThat(response.status()).isEqualTo(405);
            assertThat(client.readToEnd()).isEmpty();
            assertThat(proxy.exchanges.begun).isEmpty();
        }
    }

    @Test
    void passesBodiesOfBothFramingsAndTrailers() throws IOException {
        try (Wire client = Wire.to(proxy.http.address())) {
            Message fixed = client.send("POST /echo" + H + "Content-Length: 5\r\n\r\nhello")
                    .response();
            Message chunked = client.send("POST /echo" + H + "TE: trailers\r\nTransfer-Encoding: Chunked\r\n\r\n"
                            + "3;ext=\"v\"\r\nabc\r\n002\r\nde\r\n0\r\nX-Sum: 9\r\nConnection: x\r\n\r\n")
                    .response();
            Message unasked = client.send("POST /echo" + H + "Transfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 9\r\n\r\n")
                    .response();

            assertThat(fixed.body()).isEqualTo("hello");
            assertThat(fixed.field("Transfer-Encoding")).isEmpty();
            assertThat(chunked.body()).isEqualTo("abcde");
            assertThat(chunked.trailers()).containsExactly("X-Sum: 9");
            assertThat(unasked.trailers()).containsExactly("X-Sum: 9");
        }
    }

    @Test
    void leavesBodiesAwayWhereThereAreNone() throws IOException {
        proxy.exchanges.on("/", begun -> new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                int status = Integer.parseInt(request.head().query());
                HeaderBlock headers = new HeaderBlock();
                headers.append("Content-Length", "5");
                request.downstream().head(new ResponseMessage(status, "", headers, 5), false);
                request.downstream().data(Unpooled.copiedBuffer("hello", StandardCharsets.US_ASCII));
                request.downstream().end(trailers);
            }
        });
        proxy.exchanges.on("/empty", begun -> new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                request.downstream().head(new ResponseMessage(200, "", new HeaderBlock(), 0), true);
            }
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            assertThat(client.send("HEAD /?200" + H + "\r\n").headOnly().field("Content-Length"))
                    .isEqualTo("5");
            assertThat(client.send("GET /?204" + H + "\r\n").response().field("Content-Length"))
                    .isEmpty();
            assertThat(client.send("GET /?304" + H + "\r\n").response().field("Content-Length"))
                    .isEqualTo("5");
            assertThat(client.send("GET /?200" + H + "\r\n").response().body()).isEqualTo("hello");
            assertThat(client.send("GET /empty" + H + "\r\n").response().field("Content-Length"))
                    .isEqualTo("0");
        }
    }

    @Test
    void sendsInterimHeadsToThoseWhoKnowThem() throws IOException {
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("POST /echo" + H + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");

            assertThat(client.headOnly().startLine()).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(client.send("ok").response().body()).isEqualTo("ok");
        }
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("POST /echo HTTP/1.0\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok");

            assertThat(client.response().status()).isEqualTo(200);
        }
    }

    @Test
    void speaksHttp10() throws IOException {
        try (Wire client = Wire.to(proxy.http.address())) {
            Message once = client.send("GET / HTTP/1.0\r\nHost: a.test\r\n\r\n").response();
            assertThat(once.field("Connection")).isEqualTo("close");
            assertThat(client.readToEnd()).isEmpty();
        }
        try (Wire client = Wire.to(proxy.http.address())) {
            String head =
                    "POST /echo HTTP/1.0\r\nHost: a.test\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nab";
            assertThat(client.send(head).response().field("Connection")).isEqualTo("keep-alive");
            assertThat(client.send(head).response().body()).isEqualTo("ab");
        }
        proxy.exchanges.on("/unknown", begun -> new Quiet(begun) {
            @Override
            public void onEnd(HeaderBlock trailers) {
                request.downstream()
                        .head(new ResponseMessage(200, "", new HeaderBlock(), ResponseMessage.UNKNOWN_LENGTH), false);
                request.downstream().data(Unpooled.copiedBuffer("until the end", StandardCharsets.US_ASCII));
                request.downstream().end(trailers);
            }
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            Message response = client.send("GET /unknown HTTP/1.0\r\nHost: a.test\r\nConnection: keep-alive\r\n\r\n")
                    .response();
            assertThat(response.field("Transfer-Encoding")).isEmpty();
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(response.body()).isEqualTo("until the end");
        }
    }

    @Test
    void closesWhenTheClientSaysSo() throws IOException {
        try (Wire client = Wire.to(proxy.http.address())) {
            Message response = client.send("GET /" + H + "Connection: x, Close\r\n\r\nGET /smuggled" + H + "\r\n")
                    .response();

            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(client.readToEnd()).isEmpty();
            assertThat(proxy.exchanges.begun).hasSize(1);
        }
    }

    @Test
    void answersAClientThatHasEndedItsHalf() throws IOException {
        AtomicReference<Begun> held = new AtomicReference<>();
        proxy.exchanges.on("/held", begun -> {
            held.set(begun);
            return new Quiet(begun);
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("GET /held" + H + "\r\nGET /after" + H + "\r\n").endOutput();
            await().until(() -> held.get() != null);
            Begun request = held.get();
            request.downstream().loop().execute(() -> FakeExchanges.respond(request.downstream(), 200, "late"));

            assertThat(client.response().body()).isEqualTo("late");
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /after 0");
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    @Test
    void tellsOnceThatTheClientIsGone() throws IOException {
        AtomicReference<Quiet> begun = new AtomicReference<>();
        proxy.exchanges.on("/held", request -> {
            begun.set(new Quiet(request));
            return begun.get();
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("POST /held" + H + "Content-Length: 10\r\n\r\nabc");
            await().until(() -> begun.get() != null && begun.get().received.get() == 3);
        }
        await().untilAsserted(() -> assertThat(begun.get().gones.get()).isEqualTo(1));
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("GET /held" + H + "\r\n");
            await().until(() -> begun.get().ends.get() == 1);
            client.socket().setSoLinger(true, 0);
        }
        await().untilAsserted(() -> assertThat(begun.get().gones.get()).isEqualTo(1));
        await().until(() -> proxy.listeners.connections() == 0);
        assertThat(begun.get().gones.get()).isEqualTo(1);
    }

    @Test
    void readsNoFurtherThanThereIsCredit() throws Exception {
        AtomicReference<Hoarder> hoarder = new AtomicReference<>();
        proxy.exchanges.on("/hoard", begun -> {
            hoarder.set(new Hoarder(begun));
            return hoarder.get();
        });
        int size = 32 * 1024 * 1024;
        try (Wire client = Wire.to(proxy.http.address())) {
            Thread writer = Thread.ofVirtual().start(() -> {
                try {
                    client.send("POST /hoard" + H + "Content-Length: " + size + "\r\n\r\n");
                    client.send(new byte[size]);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            await().until(() -> hoarder.get() != null && hoarder.get().received.get() >= ClientHttp1Decoder.WINDOW);
            await().during(java.time.Duration.ofMillis(200))
                    .until(() -> hoarder.get().received.get() <= 2L * ClientHttp1Decoder.WINDOW);
            hoarder.get().passOn();

            assertThat(client.response().body()).isEqualTo(String.valueOf(size));
            writer.join();
        }
    }

    /** Gives no credit until it is told to. */
    private static final class Hoarder extends Quiet {

        private boolean passing;
        private int held;

        Hoarder(Begun request) {
            super(request);
        }

        @Override
        public void onData(ByteBuf data) {
            int size = data.readableBytes();
            data.release();
            received.addAndGet(size);
            held += size;
            if (passing) {
                give();
            }
        }

        void passOn() {
            request.downstream().loop().execute(() -> {
                passing = true;
                give();
            });
        }

        private void give() {
            int credit = held;
            held = 0;
            request.downstream().consumed(credit);
        }

        @Override
        public void onEnd(HeaderBlock trailers) {
            FakeExchanges.respond(request.downstream(), 200, String.valueOf(received.get()));
        }
    }

    @Test
    void holdsBackForASlowReader() throws IOException {
        AtomicReference<Source> source = new AtomicReference<>();
        proxy.exchanges.on("/source", begun -> {
            source.set(new Source(begun));
            return source.get();
        });
        try (Wire client = Wire.withReceiveBuffer(proxy.http.address(), 8 * 1024)) {
            client.send("GET /source" + H + "\r\n");
            await().until(() -> source.get() != null && source.get().stalls > 0);

            assertThat(source.get().sent).isLessThan(Source.SIZE);
            assertThat(client.response().body()).hasSize(Source.SIZE);
            assertThat(source.get().stalls).isPositive();
        }
    }

    /** Sends as much as the client takes. */
    private static final class Source extends Quiet {

        static final int SIZE = 64 * 1024 * 1024;
        private static final int PIECE = 16 * 1024;
        volatile int sent;
        volatile int stalls;

        Source(Begun request) {
            super(request);
        }

        @Override
        public void onEnd(HeaderBlock trailers) {
            request.downstream()
                    .head(new ResponseMessage(200, "", new HeaderBlock(), ResponseMessage.UNKNOWN_LENGTH), false);
            onWritable();
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public void onWritable() {
            while (sent < SIZE) {
                if (!request.downstream().isWritable()) {
                    stalls++;
                    return;
                }
                sent += PIECE;
                request.downstream().data(Unpooled.wrappedBuffer(new byte[PIECE]));
            }
            request.downstream().end(new HeaderBlock(1));
        }
    }

    @Test
    void flushesEventsAsTheyArrive() throws IOException {
        AtomicReference<Begun> held = new AtomicReference<>();
        proxy.exchanges.on("/events", begun -> {
            begun.downstream()
                    .head(new ResponseMessage(200, "", new HeaderBlock(), ResponseMessage.UNKNOWN_LENGTH), false);
            held.set(begun);
            return new Quiet(begun);
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("GET /events" + H + "\r\n");
            assertThat(client.headOnly().status()).isEqualTo(200);
            for (int i = 0; i < 5; i++) {
                Begun events = held.get();
                events.downstream()
                        .loop()
                        .execute(() -> events.downstream()
                                .data(Unpooled.copiedBuffer("data: x\n\n", StandardCharsets.US_ASCII)));
                assertThat(client.readLine()).isEqualTo("9");
                assertThat(client.read(11)).isEqualTo("data: x\n\n\r\n");
            }
        }
    }

    @Test
    void anAbortIsNoEnd() throws IOException {
        proxy.exchanges.on("/abort", begun -> {
            begun.downstream()
                    .head(new ResponseMessage(200, "", new HeaderBlock(), ResponseMessage.UNKNOWN_LENGTH), false);
            begun.downstream().data(Unpooled.copiedBuffer("part", StandardCharsets.US_ASCII));
            begun.downstream().loop().execute(begun.downstream()::abort);
            return new Quiet(begun);
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            assertThat(client.send("GET /abort" + H + "\r\n").readToEnd()).doesNotContain("0\r\n\r\n");
        }
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("GET /abort HTTP/1.0\r\nHost: a.test\r\n\r\n");
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> client.response())
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aBodyThatDiffersFromItsLengthIsNoMessage() throws IOException {
        proxy.exchanges.on("/short", begun -> {
            HeaderBlock headers = new HeaderBlock();
            headers.append("Content-Length", "10");
            begun.downstream().head(new ResponseMessage(200, "", headers, 10), false);
            begun.downstream().data(Unpooled.copiedBuffer("short", StandardCharsets.US_ASCII));
            begun.downstream().end(new HeaderBlock(1));
            return new Quiet(begun);
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            assertThat(client.send("GET /short" + H + "\r\nGET /" + H + "\r\n").readToEnd())
                    .doesNotContain("GET a.test");
        }
    }

    @Test
    void aFieldWithALineBreakNeverLeaves() throws IOException {
        proxy.exchanges.on("/split", begun -> {
            FakeExchanges.respond(begun.downstream(), 200, "x", "X-A", "1\r\nX-Injected: 1");
            return new Quiet(begun);
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            assertThat(client.send("GET /split" + H + "\r\n").readToEnd()).isEmpty();
        }
    }

    @Test
    void anEarlyAnswerToAnUploadReachesTheClient() throws IOException {
        proxy.exchanges.on("/early", begun -> {
            FakeExchanges.respond(begun.downstream(), 413, "too large");
            return new Quiet(begun);
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("POST /early" + H + "Content-Length: 1000000\r\n\r\n");
            client.send(new byte[300_000]);
            Message response = client.response();

            assertThat(response.status()).isEqualTo(413);
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(response.body()).isEqualTo("too large");
        }
    }

    @Test
    void waitsForAPermitAndReadsNothingMeanwhile() throws IOException {
        proxy.exchanges.permits.set(0);
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("POST /echo" + H + "Content-Length: 2\r\n\r\nabGET /b" + H + "\r\n");
            await().until(() -> proxy.exchanges.waiting() == 1);
            assertThat(proxy.exchanges.begun).isEmpty();

            proxy.exchanges.morePermits(1);
            assertThat(client.response().body()).isEqualTo("ab");
            await().until(() -> proxy.exchanges.waiting() == 1);
            proxy.exchanges.morePermits(1);
            assertThat(client.response().body()).isEqualTo("GET a.test:80 /b 0");
        }
        assertThat(proxy.exchanges.permits.get()).isZero();
        proxy.exchanges.morePermits(10);
    }

    @Test
    void aClientThatLeavesWhileItWaitsIsRecorded() throws IOException {
        proxy.exchanges.permits.set(0);
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("GET /" + H + "\r\n");
            await().until(() -> proxy.exchanges.waiting() == 1);
            client.socket().setSoLinger(true, 0);
        }
        await().until(() -> proxy.listeners.connections() == 0);
        proxy.exchanges.morePermits(2);
        try (Wire client = Wire.to(proxy.http.address())) {
            assertThat(client.get("/", "a.test").status()).isEqualTo(200);
        }
        assertThat(proxy.exchanges.permits.get()).isZero();
        assertThat(proxy.exchanges.begun).hasSize(1);
        assertThat(proxy.exchanges.recorded).hasSize(1);
        assertThat(proxy.exchanges.recorded.getFirst().refusal().code()).isEqualTo("client_left");
        assertThat(proxy.exchanges.recorded.getFirst().destination()).hasToString("a.test:80");
    }

    @Test
    void switchesToWebSocketInOneWriteAndRelaysBytes() throws IOException {
        proxy.exchanges.on("/ws", begun -> new Quiet(begun) {
            private boolean open;

            @Override
            public void onEnd(HeaderBlock trailers) {
                super.onEnd(trailers);
                if (!open) {
                    open = true;
                    HeaderBlock headers = new HeaderBlock();
                    headers.append("Sec-WebSocket-Accept", "x");
                    request.downstream().head(new ResponseMessage(101, "Switching Protocols", headers, 0), false);
                    request.downstream().data(Unpooled.copiedBuffer("hi", StandardCharsets.US_ASCII));
                } else {
                    request.downstream().end(trailers);
                }
            }

            @Override
            public void onData(ByteBuf data) {
                int size = data.readableBytes();
                request.downstream().data(data);
                request.downstream().consumed(size);
            }
        });
        try (Wire client = Wire.to(proxy.http.address())) {
            client.send("GET /ws" + H + "Upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\1early");
            Message head = client.headOnly();

            assertThat(head.startLine()).isEqualTo("HTTP/1.1 101 Switching Protocols");
            assertThat(head.field("Connection")).isEqualTo("Upgrade");
            assertThat(head.field("Upgrade")).isEqualTo("websocket");
            assertThat(client.read(8)).isEqualTo("hi\1early");
            assertThat(client.send("GET / HTTP/1.1\r\n\0").read(17)).isEqualTo("GET / HTTP/1.1\r\n\0");
            assertThat(client.endOutput().readToEnd()).isEmpty();
            assertThat(proxy.exchanges.begun.getFirst().upgrade()).isEqualTo("websocket");
            assertThat(proxy.exchanges.begun).hasSize(1);
        }
    }

    @Test
    void servesTheJdksClient() throws Exception {
        try (HttpClient client = HttpClient.newBuilder()
                .proxy(java.net.ProxySelector.of(proxy.http.address()))
                .version(HttpClient.Version.HTTP_1_1)
                .build()) {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create("http://a.test/echo"))
                            .POST(HttpRequest.BodyPublishers.ofString("text".repeat(50_000)))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());

            assertThat(response.body()).isEqualTo("text".repeat(50_000));
        }
    }
}
