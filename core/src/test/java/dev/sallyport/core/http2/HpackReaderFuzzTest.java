package dev.sallyport.core.http2;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.core.http.HeadMeter;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.net.http2.Http2RequestReader;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.core.net.request.Ingress;
import dev.sallyport.core.net.request.ProxyAuthenticator;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.core.testing.Seeds;
import dev.sallyport.core.testing.SentHead;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is accepted as the header block of a request of HTTP/2 goes on over HTTP/1.1 as itself, and alone, and over HTTP/2
 * as the same fields. The first byte of an input says whether the stream ends, and whether it is one of TLS.
 */
class HpackReaderFuzzTest {

    private static final int MOST_BYTES = 2048;
    private static final int FIELD_OVERHEAD = 32;

    static Stream<Arguments> seeds() {
        return new Seeds()
                        .add("GET", block(1, "GET", "http", "a.test", "/a?b", "", "x-a", "1"))
                        .add("GET over TLS", block(3, "GET", "https", "a.test", "/", "", "accept", "*/*"))
                        .add("a body", block(0, "POST", "http", "a.test", "/", "", "content-length", "3"))
                        .add("no length", block(0, "POST", "http", "a.test:8080", "/", "", "te", "trailers"))
                        .add("WebSocket", block(0, "CONNECT", "http", "a.test", "/", "websocket"))
                        .add("cookies", block(1, "GET", "http", "a.test", "/", "", "cookie", "a=1", "cookie", "b=2"))
                        .add("empty cookies", block(1, "GET", "http", "a.test", "/", "", "cookie", "", "cookie", ""))
                        .add("another host", block(1, "GET", "http", "a.test", "/", "", "x-host", "b.test"))
                        .add("asterisk", block(1, "OPTIONS", "http", "a.test", "*", ""))
                        .add("static table", new byte[] {1, (byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'a'})
                        .add(
                                "a line break",
                                new byte[] {1, (byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 3, 'a', '\r', '\n'})
                        .add("a table size", new byte[] {1, 0x3f, (byte) 0xe1, 0x1f, (byte) 0x82})
                        .add("an index too far", new byte[] {1, (byte) 0xff, (byte) 0x80, 1})
                        .stream();
    }

    private static byte[] block(
            int how, String method, String scheme, String authority, String path, String protocol, String... fields) {
        Http2Headers headers = new DefaultHttp2Headers(false)
                .method(method)
                .scheme(scheme)
                .authority(authority)
                .path(path);
        if (!protocol.isEmpty()) {
            headers.set(":protocol", protocol);
        }
        for (int i = 0; i < fields.length; i += 2) {
            headers.add(fields[i], fields[i + 1]);
        }
        return ByteBufUtil.getBytes(encode(headers, Unpooled.buffer().writeByte(how)));
    }

    private static ByteBuf encode(Http2Headers headers, ByteBuf out) {
        try (DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> false, true)) {
            encoder.encodeHeaders(1, headers, out);
            return out;
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
    }

    @DictionaryEntries({
        "\\x82",
        "\\x83",
        "\\x84",
        "\\x86",
        "\\x87",
        "\\x41",
        "\\x44",
        "\\x40",
        "\\x00",
        "\\x10",
        "\\x20",
        "\\x3f\\xe1\\x1f",
        ":method",
        ":path",
        ":scheme",
        ":authority",
        ":protocol",
        ":status",
        "host",
        "te",
        "\\x08trailers",
        "content-length",
        "transfer-encoding",
        "\\x07chunked",
        "connection",
        "cookie",
        "GET",
        "CONNECT",
        "websocket",
        "http",
        "https",
        "\\x0d\\x0a",
        "\\x06a.test"
    })
    @MethodSource("seeds")
    @FuzzTest
    void whatIsAcceptedGoesOnAsItself(byte[] data) {
        int how = data.length == 0 ? 0 : data[0];
        FieldSection section = read(Arrays.copyOfRange(data, Math.min(1, data.length), data.length));
        if (section == null) {
            return;
        }
        if (!section.tooLarge()) {
            assertThat(size(section.fields())).isLessThanOrEqualTo(MOST_BYTES);
        }
        String authority = section.authority();
        boolean malformed = !section.malformed().isEmpty();
        Ingress plain = Ingress.plain(ListenerKind.HTTP);
        Ingress ingress = (how & 2) == 0 ? plain : plain.withTls(null);
        DecodedRequest intake = new Http2RequestReader(
                        ingress, new ProxyAuthenticator(() -> ProxyUsers.OFF, ingress, Principal.anonymous()), 100)
                .read(section, (how & 1) != 0);

        if (malformed) {
            assertThat(intake.refusal()).isNotNull();
        }
        if (intake.refusal() == null) {
            assertThat(intake.destination()).isNotNull();
            if (authority != null) {
                assertThat(intake.head().headers().all("host")).containsExactly(authority);
            }
            SentHead.isReadAsItself(intake);
            comesBack(intake);
        }
    }

    private static @Nullable FieldSection read(byte[] block) {
        ByteBuf in = Unpooled.wrappedBuffer(block);
        try {
            FieldSection section = new HpackReader(MOST_BYTES).read(1, in, HeadMeter.NONE);
            assertThat(in.isReadable()).as("something is left unread").isFalse();
            return section;
        } catch (Http2Exception e) {
            return null;
        }
    }

    private static int size(HeaderBlock fields) {
        int size = 0;
        for (int i = 0; i < fields.size(); i++) {
            size += fields.name(i).length() + fields.value(i).length() + FIELD_OVERHEAD;
        }
        return size;
    }

    /** Written for an origin of HTTP/2, all fields but Host are read again as they are. */
    private static void comesBack(DecodedRequest intake) {
        HeaderBlock sent = intake.head().headers().copy();
        ByteBuf out = Unpooled.buffer();
        HpackWriter writer = new HpackWriter();
        assertThat(writer.request(intake.head(), "http", "a.test", null, Long.MAX_VALUE, out))
                .isTrue();
        writer.close();
        FieldSection read;
        try {
            read = new HpackReader(1 << 20).read(1, out, HeadMeter.NONE);
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        assertThat(read.malformed()).isEmpty();
        sent.removeAll("host");
        // RFC 9113, 8.2.3: cookies travel in crumbs.
        String cookies = sent.first("cookie");
        if (cookies != null) {
            sent.replace(
                    "cookie",
                    Stream.of(cookies.split("; ", -1)).map(String::strip).toList());
        }
        assertThat(SentHead.lines(read.fields())).isEqualTo(SentHead.lines(sent));
    }
}
