package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ClientTlsMode;
import dev.sallyport.core.net.connection.ConnectionSettings;
import dev.sallyport.core.net.request.Ingress;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.core.net.tunnel.Socks5Handler;
import dev.sallyport.core.testing.Cut;
import dev.sallyport.core.testing.Seeds;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The handshake of SOCKS5 ends as {@link Socks5Model} says, in one answer a message, one record at the most, one tunnel at
 * the most, and the same however the client's bytes are cut.
 */
class Socks5CodecFuzzTest {

    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1080);
    private static final InetSocketAddress THERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 50_000);
    private static final ProxyUsers USERS = ProxyUsers.of(true, Map.of("u", new Password()));

    private static final String GREETING = "\5\1\0";
    private static final String TO_NAME = "\5\1\0\3\6a.test\0\120";

    static Stream<Arguments> seeds() {
        return new Seeds()
                        .add("a name", GREETING + TO_NAME)
                        .add("IPv4", GREETING + "\5\1\0\1\300\0\2\1\1\273")
                        .add("IPv6", GREETING + "\5\1\0\4\40\1\r\270\0\0\0\0\0\0\0\0\0\0\0\1\1\273")
                        .add("denied", GREETING + "\5\1\0\3\13denied.test\0\120")
                        .add("and what follows", GREETING + TO_NAME + "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
                        .add("both methods", "\5\2\0\2\1\1u\1p" + TO_NAME)
                        .add("with a password", "\5\1\2\1\1u\1p" + TO_NAME)
                        .add("with a wrong password", "\5\1\2\1\1u\1q" + TO_NAME)
                        .add("with an empty password", "\5\1\2\1\0\0" + TO_NAME)
                        .add("GSSAPI", "\5\1\1")
                        .add("no methods", "\5\0")
                        .add("SOCKS4", "\4\1\0\120\300\0\2\1\0")
                        .add("BIND", GREETING + "\5\2\0\1\300\0\2\1\0\120")
                        .add("UDP", GREETING + "\5\3\0\1\0\0\0\0\0\0")
                        .add("reserved", GREETING + "\5\1\1\1\300\0\2\1\0\120")
                        .add("an unknown type", GREETING + "\5\1\0\2\1\1")
                        .add("an empty name", GREETING + "\5\1\0\3\0\0\120")
                        .add("an address as a name", GREETING + "\5\1\0\3\11127.0.0.1\0\120")
                        .add("an odd name", GREETING + "\5\1\0\3\7a\0.test\0\120")
                        .add("port 0", GREETING + "\5\1\0\3\6a.test\0\0")
                        .stream();
    }

    @MethodSource("seeds")
    @FuzzTest
    void endsAsTheModelSays(byte[] data) {
        for (boolean asked : new boolean[] {false, true}) {
            Socks5Model expected = Socks5Model.of(data, asked);
            for (Cut cut : Cut.values()) {
                run(data, cut, asked, expected);
            }
        }
    }

    private static void run(byte[] data, Cut cut, boolean asked, Socks5Model expected) {
        FakeExchanges exchanges = new FakeExchanges();
        ConnectionSettings settings = new ConnectionSettings(
                exchanges,
                new ClientTlsMode.SniOnly(443),
                Limits.DEFAULTS,
                HeadBudget.unlimited(),
                peer -> user -> user == null ? Principal.anonymous() : Principal.of(user.name(), "proxy_auth"),
                () -> asked ? USERS : ProxyUsers.OFF,
                ProtocolSniffingHandler::new);
        Connection channel = new Connection();
        channel.pipeline()
                .addLast(new Socks5Handler(
                        ClientConnection.accepted(settings, channel, Ingress.plain(ListenerKind.TUNNEL), THERE)));
        int from = 0;
        int last = 0;
        while (from < data.length && channel.pipeline().get(Socks5Handler.class) != null) {
            last = from;
            from = cut.end(data, from);
            channel.writeInbound(Unpooled.wrappedBuffer(data, last, from - last));
        }

        String answers = drain(channel);
        if (expected.target() == null) {
            assertThat(answers).isEqualTo(expected.answers());
            assertThat(exchanges.tunnels).isEmpty();
            assertThat(exchanges.recorded.size() + exchanges.refused.size()).isEqualTo(expected.refused() ? 1 : 0);
        } else {
            assertThat(answers).startsWith(expected.answers());
            assertThat(exchanges.tunnels.getFirst().target).hasToString(expected.target());
            assertThat(exchanges.tunnels).hasSize(1);
            assertThat(expected.end())
                    .as("opened by the piece that ends the handshake")
                    .isBetween(last + 1, from);
        }
        assertThat(exchanges.faults).isEmpty();
        channel.finishAndReleaseAll();
    }

    private static String drain(EmbeddedChannel channel) {
        StringBuilder text = new StringBuilder();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            text.append(out.toString(StandardCharsets.ISO_8859_1));
            out.release();
        }
        return text.toString();
    }

    private static final class Password implements Secret {

        @Override
        public String name() {
            return "password";
        }

        @Override
        public boolean available() {
            return true;
        }

        @Override
        public SecretValue value() {
            return SecretValue.of("p");
        }

        @Override
        public long version() {
            return 1;
        }
    }

    private static final class Connection extends EmbeddedChannel {

        @Override
        protected SocketAddress localAddress0() {
            return HERE;
        }
    }
}
