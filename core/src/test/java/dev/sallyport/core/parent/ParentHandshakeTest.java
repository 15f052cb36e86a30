package dev.sallyport.core.parent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.core.parent.ParentException.Why;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said to a parent, byte by byte: RFC 9110, 9.3.6; RFC 1928; RFC 1929. */
class ParentHandshakeTest {

    private static final InetSocketAddress NAMED = InetSocketAddress.createUnresolved("origin.test", 443);
    private static final String REST = "what comes after";

    private static InetSocketAddress address(String text) throws Exception {
        return new InetSocketAddress(InetAddress.getByName(text), 8080);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Hands the answer over in two parts, cut at each place, and says what was sent in between; the rest is left over. */
    private static List<String> said(ParentHandshake handshake, String answer, int cut) throws ParentException {
        List<String> said = new ArrayList<>();
        said.add(text(handshake.begin()));
        ByteBuf in = Unpooled.buffer();
        for (String part : List.of(answer.substring(0, cut), answer.substring(cut) + REST)) {
            in.writeCharSequence(part, StandardCharsets.ISO_8859_1);
            int before;
            do {
                before = in.readableBytes();
                byte[] next = handshake.receive(in);
                if (next.length > 0) {
                    said.add(text(next));
                }
            } while (!handshake.isDone() && in.isReadable() && in.readableBytes() < before);
        }
        assertThat(handshake.isDone()).isTrue();
        assertThat(in.toString(StandardCharsets.ISO_8859_1)).isEqualTo(REST);
        return said;
    }

    @Test
    void connectIsAnsweredInAnyPieces() throws Exception {
        String answer = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.0 200 Fine\nVia: y\n\r\n";
        for (int cut = 0; cut <= answer.length(); cut++) {
            assertThat(said(new ConnectHandshake(NAMED, ParentLogin.NONE), answer, cut))
                    .containsExactly("CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n");
        }
    }

    @Test
    void connectNamesAddressesAndShowsCredentials() throws Exception {
        assertThat(text(new ConnectHandshake(address("2001:db8::7"), ParentLogin.of("ann", "p\u00e4ss:word")).begin()))
                .isEqualTo(String.join(
                        "\r\n",
                        "CONNECT [2001:db8:0:0:0:0:0:7]:8080 HTTP/1.1",
                        "Host: [2001:db8:0:0:0:0:0:7]:8080",
                        "Proxy-Authorization: Basic YW5uOnDDpHNzOndvcmQ=",
                        "",
                        ""));
        assertThatThrownBy(() -> new ConnectHandshake(NAMED, ParentLogin.of("a:b", "c")))
                .hasMessageContaining("a colon in the user name");
        assertThat(ParentLogin.of("ann", "s3cret").toString()).doesNotContain("ann", "s3cret");
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 407 No, LOGIN",
        "HTTP/1.1 403 No, REFUSED",
        "HTTP/1.1 302 Elsewhere, REFUSED",
        "HTTP/1.1 503 No, UNREACHABLE",
        "HTTP/1.1 504 No, UNREACHABLE",
        "HTTP/1.1 2000 No, BROKEN",
        "HTTP/2 200, BROKEN",
        "SSH-2.0-x, BROKEN"
    })
    void connectMayBeAnsweredOtherwise(String line, Why why) throws Exception {
        ParentHandshake handshake = new ConnectHandshake(NAMED, ParentLogin.NONE);
        ByteBuf in = Unpooled.copiedBuffer(line.replace("2000", "20x") + "\r\n\r\n", StandardCharsets.ISO_8859_1);
        assertThat(catchThrowableOfType(ParentException.class, () -> handshake.receive(in))
                        .why())
                .isEqualTo(why);
    }

    @Test
    void anAnswerThatDoesNotEndIsBroken() throws Exception {
        ParentHandshake handshake = new ConnectHandshake(NAMED, ParentLogin.NONE);
        ByteBuf in = Unpooled.copiedBuffer("HTTP/1.1 200 OK\r\nX: " + "x".repeat(20_000), StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> handshake.receive(in)).hasMessageContaining("more than 16 KiB");
    }

    @Test
    void socksIsAnsweredInAnyPieces() throws Exception {
        for (String bound : List.of("\u0001abcd", "\u0003\u0004here", "\u0004abcdefghijklmnop")) {
            String answer = "\u0005\u0002\u0001\u0000\u0005\u0000\u0000" + bound + "\u0000P";
            for (int cut = 0; cut <= answer.length(); cut++) {
                assertThat(said(new SocksHandshake(NAMED, ParentLogin.of("ann", "pw")), answer, cut))
                        .containsExactly(
                                "\u0005\u0002\u0000\u0002",
                                "\u0001\u0003ann\u0002pw",
                                "\u0005\u0001\u0000\u0003\u000borigin.test\u0001\u00bb");
            }
        }
    }

    @Test
    void socksAsksForAddresses() throws Exception {
        String answer = "\u0005\u0000\u0005\u0000\u0000\u0001abcd\u0000P";
        assertThat(said(new SocksHandshake(address("192.0.2.1"), ParentLogin.NONE), answer, 3))
                .containsExactly("\u0005\u0001\u0000", "\u0005\u0001\u0000\u0001\u00c0\u0000\u0002\u0001\u001f\u0090");
        assertThat(said(new SocksHandshake(address("2001:db8::7"), ParentLogin.NONE), answer, 3)
                        .getLast())
                .startsWith("\u0005\u0001\u0000\u0004 \u0001\r\u00b8")
                .hasSize(4 + 16 + 2);
    }

    @ParameterizedTest
    @CsvSource({
        "05ff, LOGIN", "0500050100, UNREACHABLE", "0500050200, REFUSED", "0500050300, UNREACHABLE",
        "0500050400, UNREACHABLE", "0500050500, UNREACHABLE", "0500050700, REFUSED", "0500054200, REFUSED",
        "0400, BROKEN", "485454502f, BROKEN", "05000500000900, BROKEN", "0500040000, BROKEN"
    })
    void socksMayBeAnsweredOtherwise(String hex, Why why) throws Exception {
        ParentHandshake handshake = new SocksHandshake(NAMED, ParentLogin.NONE);
        ByteBuf in = Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex));
        ParentException refused = catchThrowableOfType(ParentException.class, () -> {
            for (int i = 0; i < 3; i++) {
                handshake.receive(in);
            }
        });
        assertThat(refused.why()).isEqualTo(why);
    }

    @Test
    void credentialsMayBeRefusedOrTooLong() throws Exception {
        ParentHandshake handshake = new SocksHandshake(NAMED, ParentLogin.of("ann", "pw"));
        ByteBuf in = Unpooled.wrappedBuffer(new byte[] {5, 2});
        handshake.receive(in);
        assertThatThrownBy(() -> handshake.receive(Unpooled.wrappedBuffer(new byte[] {1, 1})))
                .hasMessageContaining("does not take these credentials");
        assertThatThrownBy(() -> new SocksHandshake(NAMED, ParentLogin.of("ann", "x".repeat(256))))
                .hasMessageContaining("1 to 255 bytes");
    }
}
