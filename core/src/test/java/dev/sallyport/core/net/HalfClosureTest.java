package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.net.FakeExchanges.Begun;
import dev.sallyport.core.net.FakeExchanges.Quiet;
import dev.sallyport.testsupport.Wire;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that end their half of a connection without TLS: some still read, some have gone. */
class HalfClosureTest {

    private static final String OPENING = String.join(
            "\r\n",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "",
            "");

    private static final String H = " HTTP/1.1\r\nHost: a.test\r\n";

    /** More than any socket's buffers hold. */
    private static final int LARGE = 16 << 20;

    private static final int PIECE = 64 << 10;

    private static Proxy proxy(boolean epoll) throws IOException {
        return new Proxy(Limits.DEFAULTS, epoll ? EventLoops.create(1) : EventLoops.createNio(1));
    }

    private static AtomicReference<Quiet> hold(Proxy proxy) {
        AtomicReference<Quiet> held = new AtomicReference<>();
        proxy.exchanges.on("/held", begun -> {
            Quiet quiet = new Quiet(begun);
            held.set(quiet);
            return quiet;
        });
        return held;
    }

    private static Quiet begun(AtomicReference<Quiet> held) {
        await().until(() -> held.get() != null);
        return held.get();
    }

    /** There is one loop: when it has served somebody else, it has seen what happened before. */
    private static void otherwiseEngaged(Proxy proxy) throws IOException {
        for (int i = 0; i < 2; i++) {
            try (Wire other = Wire.to(proxy.http.address())) {
                assertThat(other.get("/", "a.test").status()).isEqualTo(200);
            }
        }
    }

    private static void send(Begun to, ResponseMessage head) {
        to.downstream().loop().execute(() -> {
            to.downstream().head(head, false);
            for (int sent = 0; sent < LARGE; sent += PIECE) {
                to.downstream().data(Unpooled.wrappedBuffer(new byte[PIECE]));
            }
            to.downstream().end(new HeaderBlock(1));
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLargeResponseReachesAClientThatHasEndedItsHalf(boolean epoll) throws IOException {
        try (Proxy proxy = proxy(epoll);
                Wire client = Wire.to(proxy.http.address())) {
            AtomicReference<Quiet> held = hold(proxy);
            // given
            client.send("GET /held" + H + "\r\n").endOutput();
            Quiet exchange = begun(held);
            otherwiseEngaged(proxy);

            // when
            HeaderBlock length = new HeaderBlock(1);
            length.append("Content-Length", String.valueOf(LARGE));
            send(exchange.request, new ResponseMessage(200, "", length, LARGE));

            // then
            assertThat(client.headOnly().status()).isEqualTo(200);
            assertThat(client.read(LARGE)).hasSize(LARGE);
            assertThat(client.readToEnd()).isEmpty();
            assertThat(exchange.gones.get()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRelayGoesOnWhenTheClientHasEndedItsHalf(boolean epoll) throws IOException {
        try (Proxy proxy = proxy(epoll);
                Wire client = Wire.to(proxy.http.address())) {
            AtomicReference<Quiet> held = hold(proxy);
            // given
            client.send("GET /held" + H + OPENING);
            Quiet exchange = begun(held);
            Begun request = exchange.request;
            request.downstream()
                    .loop()
                    .execute(() ->
                            request.downstream().head(new ResponseMessage(101, "", new HeaderBlock(1), -1), false));
            assertThat(client.headOnly().status()).isEqualTo(101);
            client.send("last words").endOutput();
            await().until(() -> exchange.ends.get() == 2);
            assertThat(exchange.received.get()).isEqualTo("last words".length());

            // when
            request.downstream().loop().execute(() -> {
                for (int sent = 0; sent < LARGE; sent += PIECE) {
                    request.downstream().data(Unpooled.wrappedBuffer(new byte[PIECE]));
                }
                request.downstream().end(new HeaderBlock(1));
            });

            // then
            assertThat(client.read(LARGE)).hasSize(LARGE);
            assertThat(client.readToEnd()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatHasLeftIsFoundOutByWhatIsWrittenForIt(boolean epoll) throws IOException {
        try (Proxy proxy = proxy(epoll)) {
            AtomicReference<Quiet> held = hold(proxy);
            // given
            Quiet exchange;
            try (Wire client = Wire.to(proxy.http.address())) {
                client.send("GET /held" + H + "\r\n");
                exchange = begun(held);
                Begun request = exchange.request;
                request.downstream()
                        .loop()
                        .execute(() ->
                                request.downstream().head(new ResponseMessage(200, "", new HeaderBlock(1), -1), false));
                assertThat(client.headOnly().status()).isEqualTo(200);
            }

            // when
            await().until(() -> {
                Begun request = exchange.request;
                request.downstream()
                        .loop()
                        .execute(() -> request.downstream().data(Unpooled.wrappedBuffer(new byte[10])));
                return exchange.gones.get() == 1;
            });

            // then
            await().until(() -> proxy.listeners.connections() == 0);
        }
    }

    @Test
    void aClientThatHasEndedItsHalfIsNotWaitedForForever() throws IOException {
        ProxyLimits patience = Limits.of("half_closed_timeout: 200ms, min_body_rate_bytes: 0");
        try (Proxy proxy = new Proxy(patience);
                Wire client = Wire.to(proxy.http.address())) {
            AtomicReference<Quiet> held = hold(proxy);
            // when
            client.send("GET /held" + H + "\r\n").endOutput();
            Quiet exchange = begun(held);

            // then
            await().until(() -> exchange.gones.get() == 1);
            assertThat(client.readToEnd()).isEmpty();
            await().until(() -> proxy.listeners.connections() == 0);
        }
    }

    @Test
    void aRelayWhoseClientHasEndedItsHalfIsNotKeptForever() throws IOException {
        ProxyLimits patience = Limits.of("half_closed_timeout: 200ms, min_body_rate_bytes: 0");
        try (Proxy proxy = new Proxy(patience);
                Wire client = Wire.to(proxy.http.address())) {
            AtomicReference<Quiet> held = hold(proxy);
            client.send("GET /held" + H + OPENING);
            Quiet exchange = begun(held);
            Begun request = exchange.request;
            request.downstream()
                    .loop()
                    .execute(() ->
                            request.downstream().head(new ResponseMessage(101, "", new HeaderBlock(1), -1), false));
            assertThat(client.headOnly().status()).isEqualTo(101);

            client.endOutput();

            await().until(() -> exchange.gones.get() == 1);
            await().until(() -> proxy.listeners.connections() == 0);
        }
    }

    /** Those that have left look the same: for as long as there are no permits, they must not use up all connections. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoeverWaitsForAPermitAndHasEndedItsHalfIsLetGoAfterTheIdleTimeout(boolean epoll) throws IOException {
        ProxyLimits brief = Limits.of("client_idle_timeout: 300ms");
        try (Proxy proxy = new Proxy(brief, epoll ? EventLoops.create(1) : EventLoops.createNio(1));
                Wire left = Wire.to(proxy.http.address());
                Wire stays = Wire.to(proxy.http.address())) {
            proxy.exchanges.permits.set(0);
            stays.send("GET /" + H + "\r\n");
            left.send("GET /" + H + "\r\n").endOutput();

            assertThat(left.readToEnd()).isEmpty();

            proxy.exchanges.morePermits(10);
            assertThat(stays.response().status()).isEqualTo(200);
            assertThat(proxy.exchanges.faults).isEmpty();
        }
    }
}
