package dev.sallyport.core.net.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OriginGreetingTest {

    private static boolean isOfHttpOrTls(String first) {
        return OriginGreeting.isOfHttpOrTls(Unpooled.wrappedBuffer(first.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 408 Request Timeout\r\n",
                "\u0015\u0003\u0003\u0000\u0002\u0001\u0000",
                "\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000",
                "\u0000\u0000\u0006\u0004\u0000\u0000\u0000\u0000\u0000\u0000\u0003\u0000\u0000\u0000d",
            })
    void serversOfHttpAndTlsAreKnown(String first) {
        assertThat(isOfHttpOrTls(first)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "H",
                "\u0015",
                "220 mail.test ESMTP\r\n",
                "HTTPS is not spoken here\r\n",
                "+OK POP3\r\n",
                "RFB 003.008\n",
                "J\u0000\u0000\u0000\n8.0.36\u0000\u0001\u0000",
                "\u0000\u0000\u0006\u0004\u0000\u0000\u0000\u0000",
                "\u0000\u0000\u0005\u0004\u0000\u0000\u0000\u0000\u0000",
                "\u0000\u0000\u0000\u0004\u0001\u0000\u0000\u0000\u0000",
                "\u0000\u0000\u0006\u0004\u0000\u0000\u0000\u0000\u0001",
                "\u0000\u0000\u0006\u0006\u0000\u0000\u0000\u0000\u0000",
            })
    void othersAreNot(String first) {
        assertThat(isOfHttpOrTls(first)).isFalse();
    }
}
