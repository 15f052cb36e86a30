package dev.sallyport.core.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.sallyport.core.http.HeadMeter;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A field section that is sent")
class OutgoingFieldsTest {

    private final HpackWriter writer = new HpackWriter();
    private final HpackReader reader = new HpackReader(1 << 20);
    private final ByteBuf out = Unpooled.buffer();

    @AfterEach
    void close() {
        writer.close();
        out.release();
    }

    private static HeaderBlock block(String... lines) {
        HeaderBlock headers = new HeaderBlock();
        for (int i = 0; i < lines.length; i += 2) {
            headers.append(lines[i], lines[i + 1]);
        }
        return headers;
    }

    private static RequestMessage get(String... lines) {
        return new RequestMessage("GET", "/a", "b=c", block(lines), 0);
    }

    private FieldSection request(RequestMessage head, @Nullable String protocol) throws Exception {
        assertThat(writer.request(head, "https", "origin.test", protocol, Long.MAX_VALUE, out))
                .isTrue();
        return read();
    }

    private FieldSection response(HeaderBlock headers, boolean keepLength) throws Exception {
        writer.response(200, headers, keepLength, out);
        return read();
    }

    private FieldSection read() throws Exception {
        FieldSection section = reader.read(1, out, HeadMeter.NONE);
        assertThat(section.malformed()).isEmpty();
        return section;
    }

    private static List<String> lines(FieldSection section) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < section.fields().size(); i++) {
            lines.add(section.fields().name(i) + ": " + section.fields().value(i));
        }
        return lines;
    }

    /** Lines, and what is sent of them in a request, a response and trailers. */
    static Stream<Arguments> fields() {
        List<String> none = List.of();
        return Stream.of(
                of("names are sent in lower case, in order", block("X-B", "1", "x-a", "2"), "x-b: 1", "x-a: 2"),
                argumentSet(
                        "fields of a connection are left out",
                        block("Connection", "close", "Keep-Alive", "1", "Proxy-Connection", "x", "Upgrade", "h2c"),
                        none,
                        none,
                        none),
                argumentSet(
                        "other framing is left out",
                        block("Transfer-Encoding", "chunked", "HTTP2-Settings", "AAMAAABk"),
                        none,
                        none,
                        List.of("http2-settings: AAMAAABk")),
                argumentSet(
                        "TE is sent as trailers alone",
                        block("TE", " Trailers "),
                        te("Trailers"),
                        te("Trailers"),
                        none),
                argumentSet("any other TE is left out", block("TE", "gzip"), none, none, none),
                argumentSet(
                        "the length is that of the message",
                        block("Content-Length", "5"),
                        List.of("content-length: 5"),
                        List.of("content-length: 5"),
                        none),
                argumentSet("Host becomes :authority", block("Host", "a.test"), none, List.of("host: a.test"), none),
                of(
                        "cookies are sent in crumbs",
                        block("Cookie", "a=1; b=2;c; d"),
                        "cookie: a=1",
                        "cookie: b=2;c",
                        "cookie: d"),
                of("white space around a value is left out", block("x", "  y z\t"), "x: y z"));
    }

    private static List<String> te(String value) {
        return List.of("te: " + value);
    }

    private static Arguments of(String name, HeaderBlock sent, String... everywhere) {
        List<String> lines = List.of(everywhere);
        return argumentSet(name, sent, lines, lines, lines);
    }

    @ParameterizedTest
    @MethodSource("fields")
    @DisplayName("has the lines of its block by one set of rules")
    void hasTheLinesOfItsBlock(HeaderBlock sent, List<String> request, List<String> response, List<String> trailers)
            throws Exception {
        RequestMessage head = new RequestMessage("POST", "/", null, sent.copy(), 5);
        assertThat(lines(request(head, null))).isEqualTo(request);
        assertThat(lines(response(sent, true))).isEqualTo(response);
        writer.trailers(sent, out);
        assertThat(lines(read())).isEqualTo(trailers);
    }

    @Test
    @DisplayName("begins a request with its pseudo-header fields")
    void beginsARequestWithPseudoFields() throws Exception {
        FieldSection section = request(get("Host", "a.test:8443"), null);

        assertThat(section.method()).isEqualTo("GET");
        assertThat(section.scheme()).isEqualTo("https");
        assertThat(section.authority()).isEqualTo("a.test:8443");
        assertThat(section.path()).isEqualTo("/a?b=c");
        assertThat(section.protocol()).isNull();
        assertThat(request(get(), null).authority()).isEqualTo("origin.test");
    }

    @Test
    @DisplayName("makes an extended CONNECT of an upgrade, without its key (RFC 8441, 5)")
    void makesAnExtendedConnect() throws Exception {
        FieldSection section = request(
                get("Host", "a.test", "Upgrade", "websocket", "Sec-WebSocket-Key", "k", "Sec-WebSocket-Version", "13"),
                "websocket");

        assertThat(section.method()).isEqualTo("CONNECT");
        assertThat(section.protocol()).isEqualTo("websocket");
        assertThat(section.path()).isEqualTo("/a?b=c");
        assertThat(lines(section)).containsExactly("sec-websocket-version: 13");
    }

    @Test
    @DisplayName("is not sent when it is longer than the peer accepts, and leaves no trace in the table")
    void isNotSentWhenTooLong() throws Exception {
        RequestMessage head = get("x-a", "1");
        long size = (long) ":method".length()
                + "GET".length()
                + ":scheme".length()
                + "https".length()
                + ":authority".length()
                + "origin.test".length()
                + ":path".length()
                + "/a?b=c".length()
                + "x-a1".length()
                + 5 * 32;

        assertThat(writer.request(head, "https", "origin.test", null, size - 1, out))
                .isFalse();
        assertThat(out.isReadable()).isFalse();
        assertThat(writer.request(head, "https", "origin.test", null, size, out))
                .isTrue();
        assertThat(lines(read())).containsExactly("x-a: 1");
    }

    /** Such a literal begins with 0001, one that enters the table with 01 (RFC 7541, 6.2). */
    @Test
    @DisplayName("never indexes credentials, on either side")
    void neverIndexesCredentials() {
        HeaderBlock secret = block("x-key", "value");
        secret.markSensitive(0);
        for (HeaderBlock credential : List.of(secret, block("authorization", "x"), block("set-cookie", "x"))) {
            assertThat(firstByte(credential, false) & 0xf0).isEqualTo(0x10);
            assertThat(firstByte(credential, true) & 0xf0).isEqualTo(0x10);
        }
        assertThat(firstByte(block("x-other", "x"), false) & 0xc0).isEqualTo(0x40);
        assertThat(firstByte(block("x-other", "x"), true) & 0xc0).isEqualTo(0x40);
    }

    /** The first byte of the only line. */
    private static int firstByte(HeaderBlock line, boolean asTrailers) {
        HpackWriter fresh = new HpackWriter();
        ByteBuf block = Unpooled.buffer();
        try {
            if (asTrailers) {
                fresh.trailers(line, block);
                return block.getByte(0);
            }
            fresh.response(200, line, true, block);
            return block.getByte(1); // after :status, which is one byte
        } finally {
            fresh.close();
            block.release();
        }
    }
}
