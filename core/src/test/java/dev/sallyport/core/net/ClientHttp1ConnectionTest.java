package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.net.FakeExchanges.Begun;
import dev.sallyport.core.net.FakeExchanges.Quiet;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ClientTlsMode;
import dev.sallyport.core.net.connection.ConnectionSettings;
import dev.sallyport.core.net.connection.LingeringClose;
import dev.sallyport.core.net.http1.ClientHttp1Connection;
import dev.sallyport.core.net.http1.ClientHttp1Decoder;
import dev.sallyport.core.net.request.Ingress;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One connection of HTTP/1.1 alone, step by step: what it reads, answers and tells its exchanges in each state. */
class ClientHttp1ConnectionTest {

    private static final String H = " HTTP/1.1\r\nHost: a.test\r\n";
    private static final String OK = "HTTP/1.1 200 OK\r\n";

    private final FakeExchanges exchanges = new FakeExchanges();
    private final List<DisconnectReason> gone = new ArrayList<>();
    private int reads;
    private EmbeddedChannel channel = open(Limits.DEFAULTS);

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        assertThat(exchanges.faults).isEmpty();
    }

    private EmbeddedChannel open(ProxyLimits limits) {
        exchanges.on("/held", Held::new);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);
        EmbeddedChannel opened = new EmbeddedChannel() {
            @Override
            public SocketAddress localAddress() {
                return address;
            }
        };
        opened.config().setAutoRead(false);
        ChannelInboundHandlerAdapter before = new ChannelInboundHandlerAdapter();
        opened.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext ctx) {
                reads++;
                ctx.read();
            }
        });
        opened.pipeline().addLast(before);
        ConnectionSettings wiring = new ConnectionSettings(
                exchanges,
                new ClientTlsMode.SniOnly(443),
                limits,
                HeadBudget.unlimited(),
                peer -> user -> user == null ? Principal.anonymous() : Principal.of(user.name(), "proxy_auth"),
                () -> ProxyUsers.OFF,
                ProtocolSniffingHandler::new);
        PipelineConfigurator.http(
                opened.pipeline(),
                before,
                ClientConnection.accepted(wiring, opened, Ingress.plain(ListenerKind.TUNNEL), address));
        return opened;
    }

    /** Is answered when a test says so. */
    private final class Held extends Quiet {

        Held(Begun request) {
            super(request);
        }

        @Override
        public void onGone(DisconnectReason why) {
            super.onGone(why);
            gone.add(why);
        }
    }

    private void send(String latin1) {
        channel.writeInbound(Unpooled.copiedBuffer(latin1, StandardCharsets.ISO_8859_1));
        channel.runPendingTasks();
    }

    private String sent() {
        channel.runPendingTasks();
        StringBuilder all = new StringBuilder();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            all.append(next.toString(StandardCharsets.ISO_8859_1));
            next.release();
        }
        return all.toString();
    }

    private Begun begun(int number) {
        return exchanges.begun.get(number);
    }

    private void answer(int number, String body) {
        FakeExchanges.respond(begun(number).downstream(), 200, body);
    }

    /** Whether the connection asks for more once what it was told has been worked off. */
    private boolean reads() {
        int before = reads;
        channel.pipeline().fireChannelReadComplete();
        return reads > before;
    }

    private void inputEnds() {
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        channel.runPendingTasks();
    }

    private void drain() {
        ClientConnections connections = new ClientConnections(Limits.DEFAULTS, () -> {});
        assertThat(connections.add(channel)).isTrue();
        connections.drain(Duration.ofMinutes(5));
        channel.runPendingTasks();
    }

    @Test
    void servesOneRequestAfterTheOther() {
        send("GET /a" + H + "\r\n");
        assertThat(sent()).startsWith(OK).endsWith("GET a.test:80 /a 0");
        send("GET /b");
        assertThat(sent()).isEmpty();
        send(H + "\r\n");
        assertThat(sent()).startsWith(OK).endsWith("GET a.test:80 /b 0");
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void leavesPipelinedRequestsUndecodedUntilTheirTurn() {
        send("GET /held" + H + "\r\nGET /held" + H + "\r\nPOST /held" + H + "Content-Length: 1\r\n\r\nx");
        assertThat(exchanges.begun).hasSize(1);
        answer(0, "1");
        assertThat(exchanges.begun).hasSize(2);
        answer(1, "2");
        assertThat(exchanges.begun).hasSize(3);
        answer(2, "3");
        assertThat(sent().split("HTTP/1.1 ", -1)).hasSize(4);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void asksForAPermitAndReadsNothingMeanwhile() {
        exchanges.permits.set(0);
        send("POST /echo" + H + "Content-Length: 2\r\n\r\nab");
        assertThat(exchanges.waiting()).isEqualTo(1);
        assertThat(reads()).isFalse();

        exchanges.morePermits(1);
        assertThat(sent()).endsWith("ab");
        assertThat(reads()).isTrue();
    }

    @Test
    void recordsWhoLeavesWithoutAPermit() {
        exchanges.permits.set(0);
        send("GET /" + H + "\r\n");
        channel.close();
        exchanges.morePermits(3);
        channel.runPendingTasks();

        assertThat(exchanges.begun).isEmpty();
        assertThat(exchanges.recorded)
                .singleElement()
                .satisfies(record -> assertThat(record.refusal().code()).isEqualTo("client_left"));
    }

    @Test
    void passesOnAnInterimHeadBeforeTheBody() {
        send("POST /echo" + H + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
        assertThat(sent()).startsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Fine\r\n");
        send("ab");
        assertThat(sent()).isEqualTo("ab");
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void anAnswerBeforeTheEndOfTheRequestIsTheLast() {
        send("POST /held" + H + "Content-Length: 5\r\n\r\nab");
        answer(0, "enough");
        assertThat(sent()).startsWith(OK).endsWith("enough");
        send("cdeGET /" + H + "\r\n");

        assertThat(sent()).isEmpty();
        assertThat(exchanges.begun).hasSize(1);
        assertThat(channel.pipeline().get(LingeringClose.class)).isNotNull();
        inputEnds();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void switchesProtocolsAndEndsWhenBothHalvesHave() {
        send("GET /held" + H + "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\nearly");
        begun(0).downstream().head(new ResponseMessage(101, "Switching Protocols", new HeaderBlock(), 0), false);
        begun(0).downstream().data(Unpooled.copiedBuffer("hi", StandardCharsets.US_ASCII));
        assertThat(sent()).startsWith("HTTP/1.1 101 Switching Protocols\r\n").endsWith("\r\n\r\nhi");
        send("GET / HTTP/1.1\r\n\r\n");
        assertThat(exchanges.begun).hasSize(1);
        inputEnds();
        assertThat(channel.isOpen()).isTrue();
        begun(0).downstream().end(new HeaderBlock(1));
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(gone).isEmpty();
    }

    @Test
    void handsATunnelOver() {
        send("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n");
        assertThat(sent()).isEqualTo("HTTP/1.1 200 Connection Established\r\n\r\n");
        assertThat(channel.pipeline().get(ClientHttp1Connection.class)).isNull();
        assertThat(exchanges.tunnels).hasSize(1);
    }

    @Test
    void answersADeniedTunnelAndCloses() {
        send("CONNECT denied.test:443 HTTP/1.1\r\nHost: denied.test:443\r\n\r\n");
        assertThat(sent()).startsWith("HTTP/1.1 403 ").contains("Connection: close");
        assertThat(exchanges.refused).hasSize(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void endsAtOnceWhenDrainedBetweenRequests() {
        drain();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void answersAHeadInProgressWhenDrained() {
        send("GET /");
        drain();
        assertThat(channel.isOpen()).isTrue();
        send(H + "\r\n");
        assertThat(sent()).startsWith(OK).contains("Connection: close");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void finishesItsExchangeWhenDrained() {
        send("GET /held" + H + "\r\n");
        drain();
        assertThat(channel.isOpen()).isTrue();
        answer(0, "done");
        assertThat(sent()).contains("Connection: close").endsWith("done");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void answersAClientThatHasEndedItsHalf() {
        send("GET /held" + H + "\r\n");
        inputEnds();
        assertThat(channel.isOpen()).isTrue();
        answer(0, "late");
        assertThat(sent()).endsWith("late");
        assertThat(channel.isOpen()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET / HT", "POST /held HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\na"})
    void whoEndsItsHalfElsewhereIsGone(String before) {
        send(before);
        inputEnds();
        assertThat(sent()).isEmpty();
        assertThat(channel.isOpen()).isFalse();
        assertThat(gone).hasSize(exchanges.begun.size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\1", "GET / HTTP/1.1\r\n\1", "GET /" + H + "Content-Length: x\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"
            })
    void refusesAMalformedHeadOnceAndCloses(String head) {
        send(head + "GET /" + H + "\r\n");
        assertThat(sent())
                .startsWith("HTTP/1.1 400 ")
                .containsOnlyOnce("HTTP/1.1 ")
                .contains("Connection: close");
        assertThat(exchanges.begun).isEmpty();
        assertThat(exchanges.refused).hasSize(1);
        send("GET /" + H + "\r\n");
        assertThat(sent()).isEmpty();
    }

    @Test
    void refusesAMalformedHeadWhenThereIsAPermit() {
        exchanges.permits.set(0);
        send("GET / HTTP/1.1\r\n\r\n");
        assertThat(sent()).isEmpty();
        assertThat(reads()).isFalse();
        exchanges.morePermits(1);
        assertThat(sent()).startsWith("HTTP/1.1 400 ");
        assertThat(exchanges.refused).hasSize(1);
    }

    @Test
    void tellsAnExchangeThatItsBodyIsMalformed() {
        send("POST /held" + H + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\nx\r\n");
        assertThat(sent())
                .startsWith("HTTP/1.1 400 ")
                .containsOnlyOnce("HTTP/1.1 ")
                .contains("Connection: close");
        assertThat(gone).isEmpty();
    }

    @Test
    void decodesNothingMoreUntilTheClientHasReadItsAnswer() {
        send("GET /held" + H + "\r\nGET /held" + H + "\r\n");
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        answer(0, "1");
        channel.runPendingTasks();
        assertThat(exchanges.begun).hasSize(1);
        assertThat(reads()).isFalse();

        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        channel.runPendingTasks();
        assertThat(exchanges.begun).hasSize(2);
    }

    @Test
    void closesWhenDrainedBeforeTheClientHasReadItsAnswer() {
        send("GET /held" + H + "\r\n");
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        answer(0, "1");
        drain();
        assertThat(sent()).endsWith("1");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void closesOverAnAbort() {
        send("GET /held" + H + "\r\n");
        begun(0).downstream().abort();
        assertThat(channel.isOpen()).isFalse();
        assertThat(sent()).isEmpty();
        assertThat(gone).isEmpty();
    }

    @Test
    void tellsOnceThatTheClientIsGone() {
        send("GET /held" + H + "\r\n");
        channel.close();
        channel.runPendingTasks();
        answer(0, "nobody");
        assertThat(gone).containsExactly(DisconnectReason.LEFT);
    }

    /** What the decoder never does while an exchange is in progress. */
    @Test
    void aTransitionThatDoesNotExistEndsTheConnectionAsAFault() {
        send("GET /held" + H + "\r\n");
        channel.pipeline()
                .context(ClientHttp1Decoder.class)
                .fireChannelRead(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/", new HeaderBlock(1)));
        channel.runPendingTasks();

        assertThat(channel.isOpen()).isFalse();
        assertThat(gone).containsExactly(DisconnectReason.FAULT);
        answer(0, "never");
        assertThat(sent()).isEmpty();
        assertThat(exchanges.begun).hasSize(1);
        assertThat(exchanges.refused).isEmpty();
    }

    @Test
    void anEndWithoutAHeadIsAFault() {
        channel.pipeline().context(ClientHttp1Decoder.class).fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(sent()).isEmpty();
        assertThat(exchanges.begun).isEmpty();
    }

    /** The time of a head begins with it, also when it began in the same read as the end of the one before. */
    @Test
    void aHeadThatBeginsWithTheEndOfAnotherHasItsTimeToo() {
        channel.finishAndReleaseAll();
        channel = open(Limits.of("header_read_timeout: 50ms, client_idle_timeout: 1m, "
                + "first_bytes_timeout: 1m, client_hello_timeout: 1m"));
        send("GET /a HTTP/1.1\r\n");
        send("Host: a.test\r\n\r\nGET /b HTTP/1.1\r\n");
        assertThat(sent()).startsWith(OK).endsWith("/a 0");
        await().until(this::sent, answer -> answer.startsWith("HTTP/1.1 408 "));
        assertThat(exchanges.begun).hasSize(1);
    }
}
