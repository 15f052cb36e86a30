package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.core.http.HeadMeter;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.net.http1.ClientHttp1Decoder;
import dev.sallyport.core.net.http1.Http1RequestReader;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.core.net.request.Ingress;
import dev.sallyport.core.net.request.ProxyAuthenticator;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.core.testing.Cut;
import dev.sallyport.core.testing.Seeds;
import dev.sallyport.core.testing.SentHead;
import dev.sallyport.core.testing.StrictRequests;
import dev.sallyport.core.testing.StrictRequests.Field;
import dev.sallyport.core.testing.StrictRequests.Request;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is accepted as requests of HTTP/1.x is read as the same requests by a second, strict reader; however it is cut;
 * and each goes on as itself, and alone.
 */
class ClientHttp1DecoderFuzzTest {

    private static final String H = "Host: a.test\r\n";
    private static final String GET = "GET /a?b HTTP/1.1\r\n" + H;
    private static final String POST = "POST / HTTP/1.1\r\n" + H;
    private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n";

    static Stream<Arguments> seeds() {
        return new Seeds()
                        .add("GET", GET + "\r\n")
                        .add("two", GET + "\r\n" + GET + "\r\n")
                        .add("HTTP/1.0", "GET / HTTP/1.0\r\n" + H + "Connection: keep-alive\r\n\r\n" + GET + "\r\n")
                        .add("a body", POST + "Content-Length: 3\r\n\r\nabc" + GET + "\r\n")
                        .add("chunks", CHUNKED + "3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\n" + GET + "\r\n")
                        .add("trailers", CHUNKED + "1\r\na\r\n0\r\nX-T: 1\r\n\r\n" + GET + "\r\n")
                        .add(
                                "framing in trailers",
                                CHUNKED + "0\r\nTransfer-Encoding: chunked\r\nX: 1\r\n\r\n" + GET + "\r\n")
                        .add("absolute form", "GET http://a.test/b?c HTTP/1.1\r\nHost: c.test\r\n\r\n")
                        .add("CONNECT", "CONNECT a.test:443 HTTP/1.1\r\n" + H + "\r\n")
                        .add("asterisk", "OPTIONS * HTTP/1.1\r\n" + H + "\r\n")
                        .add("empty lines", "\r\n\r\n" + GET + "\r\n\r\n" + GET + "\r\n")
                        .add("hop by hop", GET + "Connection: close, X-A, TE\r\nX-A: 1\r\nTE: trailers, x\r\n\r\n")
                        .add(
                                "an upgrade",
                                GET + "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\u0081\0")
                        .add("half an upgrade", GET + "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n\u0081\0")
                        .add("100-continue", POST + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\na")
                        .add("both lengths", POST + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
                        .add("two lengths", POST + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc")
                        .add("obs-fold", GET + "X: 1\r\n 2\r\n\r\n")
                        .add("space before the colon", GET + "X : 1\r\n\r\n")
                        .add("bare LF", "GET / HTTP/1.1\n" + H + "\n")
                        .add("bare CR", GET + "X: a\rb\r\n\r\n")
                        .add("an odd chunk", CHUNKED + "0x3\r\nabc\r\n0\r\n\r\n")
                        .add("space after the size", CHUNKED + "3 \r\nabc\r\n0\r\n\r\n")
                        .add("a folded trailer", CHUNKED + "0\r\nX: 1\r\n 2\r\n\r\n")
                        .add("obs-text", GET + "X: \u00e4\u00ff\r\n\r\n")
                        .add("a draft of WebSocket", GET + "Sec-WebSocket-Key1: 1\r\n\r\n12345678")
                        .add("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                        .stream();
    }

    @DictionaryEntries({
        "\\x0d\\x0a",
        "\\x0d\\x0a\\x0d\\x0a",
        "\\x0a",
        "\\x0d",
        " HTTP/1.1\\x0d\\x0a",
        " HTTP/1.0\\x0d\\x0a",
        "Host: ",
        "Content-Length: ",
        "Transfer-Encoding: ",
        "chunked",
        "identity",
        "Connection: ",
        "close",
        "keep-alive",
        "Upgrade: websocket",
        "TE: trailers",
        "Trailer: ",
        "Expect: 100-continue",
        "http://",
        "https://",
        "OPTIONS * ",
        "CONNECT a.test:443",
        "GET / ",
        "POST / ",
        "0\\x0d\\x0a\\x0d\\x0a",
        "3\\x0d\\x0aabc\\x0d\\x0a",
        ";x=y",
        "\\x0d\\x0a ",
        "\\x09",
        "\\x00",
        "\\x0b",
        "%2e%2e",
        "//",
        "a.test:80"
    })
    @MethodSource("seeds")
    @FuzzTest
    void aSecondReaderAgrees(byte[] data) {
        List<Request> whole = decode(data, Cut.WHOLE);
        assertThat(decode(data, Cut.BYTES)).isEqualTo(whole);
        assertThat(decode(data, Cut.PIECES)).isEqualTo(whole);

        List<Request> strict = StrictRequests.of(data).requests();
        assertThat(strict.size()).isGreaterThanOrEqualTo(whole.size());
        for (int i = 0; i < whole.size(); i++) {
            Request mine = whole.get(i);
            if (mine.complete()) {
                assertThat(mine).isEqualTo(strict.get(i));
            } else {
                assertThat(mine.head()).isEqualTo(strict.get(i).head());
                assertThat(strict.get(i).body()).startsWith(mine.body());
            }
        }
    }

    /** What the decoder and the reader let through. */
    private static List<Request> decode(byte[] data, Cut cut) {
        EmbeddedChannel channel = new EmbeddedChannel(new ClientHttp1Decoder(Limits.DEFAULTS, HeadMeter.NONE));
        Ingress ingress = Ingress.plain(ListenerKind.HTTP);
        Http1RequestReader reader = new Http1RequestReader(
                ingress, new ProxyAuthenticator(() -> ProxyUsers.OFF, ingress, Principal.anonymous()), 200);
        List<Request> accepted = new ArrayList<>();
        int from = 0;
        while (from < data.length) {
            int end = cut.end(data, from);
            channel.writeInbound(Unpooled.copiedBuffer(data, from, end - from));
            from = end;
        }
        boolean reading = true;
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            reading = reading && take(message, reader, accepted);
            ReferenceCountUtil.release(message);
        }
        channel.finishAndReleaseAll();
        return accepted;
    }

    /** False when nothing that follows is read as a request. */
    private static boolean take(Object message, Http1RequestReader reader, List<Request> accepted) {
        if (message instanceof HttpRequest request) {
            if (!accepted.isEmpty()) {
                assertThat(accepted.getLast().complete()).isTrue();
            }
            Request raw = new Request(
                    request.method().name(),
                    request.uri(),
                    request.protocolVersion().text(),
                    SentHead.lines((HeaderBlock) request.headers()),
                    "",
                    List.of(),
                    false);
            DecodedRequest intake = reader.read(request);
            if (intake.refusal() != null && !intake.terms().keepAlive()) {
                return false;
            }
            if (intake.refusal() == null && intake.connect() == null) {
                assertThat(intake.destination()).isNotNull();
                SentHead.isReadAsItself(intake);
            }
            accepted.add(raw);
        }
        if (message instanceof HttpContent content) {
            Request before = accepted.removeLast();
            boolean last = content instanceof LastHttpContent;
            accepted.add(new Request(
                    before.method(),
                    before.target(),
                    before.version(),
                    before.fields(),
                    before.body() + content.content().toString(StandardCharsets.ISO_8859_1),
                    last && ((LastHttpContent) content).trailingHeaders() instanceof HeaderBlock block
                            ? SentHead.lines(block)
                            : List.<Field>of(),
                    last));
        }
        return !(message instanceof ClientHttp1Decoder.Malformed);
    }
}
