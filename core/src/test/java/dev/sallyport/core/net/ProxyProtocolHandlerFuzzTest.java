package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ClientTlsMode;
import dev.sallyport.core.net.connection.ConnectionSettings;
import dev.sallyport.core.net.request.Ingress;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.core.testing.Cut;
import dev.sallyport.core.testing.Seeds;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A header of the PROXY protocol names one client, whom a second reading finds too, or ends the connection with one
 * record; its destination is nobody's concern; what follows it reaches the stages, all of it and once; and the same however the bytes are cut.
 */
class ProxyProtocolHandlerFuzzTest {

    private static final InetSocketAddress BALANCER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final String SIGNATURE = "\r\n\r\n\0\r\nQUIT\n";
    private static final int LONGEST_LINE = 107;
    private static final Pattern VERSION_1 = Pattern.compile(
            "PROXY (?:UNKNOWN(?:(?!\r\n).)*|TCP([46]) ([0-9A-Fa-f:.]+) [^ ]+ ([^ ]+) [^ ]+ *)\r\n", Pattern.DOTALL);

    /**
     * What became of it.
     *
     * @param client who connects, as it was learnt
     * @param rest what reached the stages
     */
    private record Outcome(@Nullable InetSocketAddress client, String rest, int records, boolean open) {}

    static Stream<Arguments> seeds() {
        String v4 = "\300\0\2\1\300\0\2\2\4\322\1\273";
        String v6 = "\40\1\r\270\0\0\0\0\0\0\0\0\0\0\0\1".repeat(2) + "\4\322\1\273";
        return new Seeds()
                        .add("version 1", "PROXY TCP4 192.0.2.1 192.0.2.2 1234 443\r\nGET / HTTP/1.1\r\n")
                        .add("version 1, IPv6", "PROXY TCP6 2001:db8::1 2001:db8::2 1234 443\r\n")
                        .add("version 1, unknown", "PROXY UNKNOWN\r\nGET")
                        .add("version 1, unknown and more", "PROXY UNKNOWN ffff::1 ffff::1 1 2\r\n")
                        .add("version 2", SIGNATURE + "\41\21\0\14" + v4 + "GET / HTTP/1.1\r\n")
                        .add("version 2, IPv6", SIGNATURE + "\41\41\0\44" + v6)
                        .add("version 2, local", SIGNATURE + "\40\0\0\0GET")
                        .add("version 2, UDP", SIGNATURE + "\41\22\0\14" + v4)
                        .add("version 2, a Unix socket", SIGNATURE + "\41\61\0\330" + "/a\0".repeat(72))
                        .add("version 2, extensions", SIGNATURE + "\41\21\0\24" + v4 + "\4\0\1x\1\0\1y")
                        .add("version 2, an extension too long", SIGNATURE + "\41\21\0\20" + v4 + "\4\0\2x")
                        .add("version 3", SIGNATURE + "\61\21\0\14" + v4)
                        .add("another family", "PROXY TCP4 2001:db8::1 192.0.2.2 1 2\r\n")
                        .add("a zone", "PROXY TCP6 ::1%1 ::2 1234 443\r\n")
                        .add("brackets", "PROXY TCP6 [::1] [::2] 1234 443\r\n")
                        .add("a port too large", "PROXY TCP4 192.0.2.1 192.0.2.2 65536 2\r\n")
                        .add("too long", "PROXY UNKNOWN " + "x".repeat(120) + "\r\n")
                        .add("a little too long", "PROXY UNKNOWN " + "x".repeat(94) + "\r\n")
                        .add("none", "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
                        .stream();
    }

    @DictionaryEntries({
        "PROXY ", "TCP4 ", "TCP6 ", "UNKNOWN", "\\x0d\\x0a", "\\x0d\\x0a\\x0d\\x0a\\x00\\x0d\\x0aQUIT\\x0a",
                "\\x21\\x11",
        "\\x20\\x00", "\\x21\\x21", "192.0.2.1 ", "::1 ", " 65535", "\\x00\\x0c", "\\x00\\x24"
    })
    @MethodSource("seeds")
    @FuzzTest
    void namesOneClientOrEndsTheConnection(byte[] data) {
        Outcome whole = run(data, Cut.WHOLE);

        String text = new String(data, StandardCharsets.ISO_8859_1);
        if (!isTooLong(text)) {
            assertThat(run(data, Cut.BYTES)).isEqualTo(whole);
            assertThat(run(data, Cut.PIECES)).isEqualTo(whole);
        }
        assertThat(whole.open).isEqualTo(whole.records == 0);
        assertThat(whole.records).isLessThanOrEqualTo(1);
        if (whole.client != null) {
            assertThat(text).endsWith(whole.rest);
            String header = text.substring(0, text.length() - whole.rest.length());
            assertThat(whole.client).isEqualTo(header.startsWith("PROXY") ? version1(header) : version2(data, header));
        }
    }

    /** A line beyond what version 1 allows: Netty takes up to 110 bytes when they come at once, and refuses them in pieces. */
    private static boolean isTooLong(String text) {
        int end = text.indexOf("\r\n");
        return text.startsWith("PROXY") && end + 2 > LONGEST_LINE;
    }

    private static @Nullable InetSocketAddress version1(String header) {
        Matcher matcher = VERSION_1.matcher(header);
        if (!matcher.matches()) {
            return null;
        }
        String family = matcher.group(1);
        return family == null
                ? BALANCER
                : address(
                        NetUtil.createByteArrayFromIpAddressString(matcher.group(2)),
                        Integer.parseInt(matcher.group(3)));
    }

    private static @Nullable InetSocketAddress version2(byte[] data, String header) {
        boolean shape = header.startsWith(SIGNATURE) && header.length() >= 16 && header.length() == 16 + u16(data, 14);
        if (!shape) {
            return null;
        }
        int family = data[13] & 0xFF;
        int size = family == 0x11 ? 4 : family == 0x21 ? 16 : 0;
        if (data[12] == 0x20 || family == 0) {
            return BALANCER;
        }
        return data[12] == 0x21 && size > 0
                ? address(Arrays.copyOfRange(data, 16, 16 + size), u16(data, 16 + 2 * size))
                : null;
    }

    private static int u16(byte[] data, int at) {
        return (data[at] & 0xFF) << 8 | (data[at + 1] & 0xFF);
    }

    private static @Nullable InetSocketAddress address(byte @Nullable [] address, int port) {
        try {
            return address == null ? null : new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static Outcome run(byte[] data, Cut cut) {
        FakeExchanges exchanges = new FakeExchanges();
        ConnectionSettings settings = new ConnectionSettings(
                exchanges,
                new ClientTlsMode.SniOnly(443),
                Limits.DEFAULTS,
                HeadBudget.unlimited(),
                peer -> user -> user == null ? Principal.anonymous() : Principal.of(user.name(), "proxy_auth"),
                () -> ProxyUsers.OFF,
                ProtocolSniffingHandler::new);
        EmbeddedChannel channel = new Connection();
        List<InetSocketAddress> clients = new ArrayList<>();
        StringBuilder rest = new StringBuilder();
        ClientConnection connection =
                ClientConnection.accepted(settings, channel, Ingress.plain(ListenerKind.HTTP), BALANCER);
        channel.pipeline().addLast(new ProxyProtocolHandler(connection, client -> {
            clients.add(client);
            channel.pipeline().addLast(new Rest(rest));
        }));
        int from = 0;
        while (from < data.length && channel.isOpen()) {
            int end = cut.end(data, from);
            channel.writeInbound(Unpooled.wrappedBuffer(data, from, end - from));
            from = end;
        }
        assertThat(clients.size()).isLessThanOrEqualTo(1);
        Outcome outcome = new Outcome(
                clients.isEmpty() ? null : clients.getFirst(),
                rest.toString(),
                exchanges.recorded.size(),
                channel.isOpen());
        channel.finishAndReleaseAll();
        return outcome;
    }

    private static final class Connection extends EmbeddedChannel {

        @Override
        protected SocketAddress localAddress0() {
            return BALANCER;
        }
    }

    private static final class Rest extends ChannelInboundHandlerAdapter {

        private final StringBuilder text;

        Rest(StringBuilder text) {
            this.text = text;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf data = (ByteBuf) message;
            text.append(data.toString(StandardCharsets.ISO_8859_1));
            data.release();
        }
    }
}
