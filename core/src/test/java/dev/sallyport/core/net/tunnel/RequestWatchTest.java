package dev.sallyport.core.net.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestWatchTest {

    private static boolean sees(String text) {
        return new RequestWatch().sees(bytes(text));
    }

    private static boolean seesByteByByte(String text) {
        RequestWatch watch = new RequestWatch();
        boolean seen = false;
        for (int i = 0; i < text.length(); i++) {
            seen = watch.sees(bytes(text.substring(i, i + 1)));
        }
        return seen;
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "GET / HTTP/1.0\n",
                "\r\n\n\rGET / HTTP/1.1\r\n",
                "get\t/a b\thttp/1.1 \t\r\n",
                "M-SEARCH * HTTP/1.1\r\n",
                "G3T /HTTP/1.1/x  HTTP/1.1\r",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001",
                "\u0016\u0003\u0003\u0000\u0000\u0016\u0003",
                "\u0080.\u0001\u0003\u0001\u0000\u0015",
            })
    void requestsAreSeen(String text) {
        assertThat(sees(text)).isTrue();
        assertThat(sees(text + "\r\nEHLO a\r\n")).isTrue();
        assertThat(seesByteByByte(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\r\n",
                "GET / HTTP/1.1",
                "EHLO a.test\r\nGET / HTTP/1.1\r\n",
                "USER anonymous\r\n",
                "a001 LOGIN a b\r\n",
                "PING\r\n",
                "SSH-2.0-test\r\n",
                "OPTIONS rtsp://a.test RTSP/1.0\r\n",
                "GET / HTTP/1.1 x\r\n",
                "GET \u0000 HTTP/1.1\r\n",
                "ABCDEFGHIJKLMNOPQRSTUVWXYZ / HTTP/1.1\r\n",
                " \u0000\u0000\u0001\u0085\u00a6\u00ff\u0000root",
                "\u0016\u0002\u0001",
                "\u0016\u0003\u0000\u0001\u0085\u00a6\u00ff\u0000",
                "\u0080.\u0001\u0002\u0001",
                "\u00ff\u0000\u0000\u0001\u0003",
                "\u0000\u0016\u0003\u0001",
            })
    void whatElseAClientSaysIsNone(String text) {
        assertThat(sees(text)).isFalse();
        assertThat(seesByteByByte(text)).isFalse();
    }
}
