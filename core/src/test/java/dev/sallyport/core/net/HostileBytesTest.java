package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeadMeter;
import dev.sallyport.core.net.http1.ClientHttp1Decoder;
import dev.sallyport.core.tls.ClientHello;
import dev.sallyport.core.tls.ClientHelloReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random damage never does more than being refused. */
class HostileBytesTest {

    private static final int ROUNDS = 5_000;
    private static final long SEED = Long.getLong("sallyport.seed", new Random().nextLong());

    private static final String MESSAGE = String.join(
            "\r\n",
            "POST /a?b HTTP/1.1",
            "Host: a.test",
            "Transfer-Encoding: chunked",
            "X: 1",
            "",
            "3;x=y",
            "abc",
            "0",
            "X: 1",
            "",
            "GET / HTTP/1.1",
            "Host: a.test",
            "",
            "");

    @Test
    void aDamagedRequestIsReadOrRefused() {
        Random random = seeded();
        byte[] original = MESSAGE.getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bytes = damage(original, random);
            EmbeddedChannel channel = new EmbeddedChannel(new ClientHttp1Decoder(Limits.DEFAULTS, HeadMeter.NONE));
            int from = 0;
            while (from < bytes.length) {
                int to = Math.min(bytes.length, from + 1 + random.nextInt(bytes.length));
                channel.writeInbound(Unpooled.copiedBuffer(bytes, from, to - from));
                from = to;
            }
            boolean malformed = false;
            for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
                assertThat(malformed).as("nothing follows a refusal").isFalse();
                malformed = message instanceof ClientHttp1Decoder.Malformed;
                ReferenceCountUtil.release(message);
            }
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void aDamagedClientHelloIsReadOrRefused() throws Exception {
        Random random = seeded();
        byte[] original = clientHello();
        int whole = 0;
        for (int i = 0; i < ROUNDS; i++) {
            ByteBuf bytes = Unpooled.wrappedBuffer(damage(original, random));
            try (ClientHelloReader reader = new ClientHelloReader(UnpooledByteBufAllocator.DEFAULT, 64 * 1024)) {
                if (read(reader, bytes) != null) {
                    whole++;
                }
            }
        }
        assertThat(whole).isPositive();
    }

    private static @Nullable ClientHello read(ClientHelloReader reader, ByteBuf bytes) {
        try {
            return reader.read(bytes);
        } catch (ClientHello.MalformedException e) {
            return null;
        }
    }

    private static byte[] clientHello() throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine("a.test", 443);
        engine.setUseClientMode(true);
        java.nio.ByteBuffer out = java.nio.ByteBuffer.allocate(32 * 1024);
        engine.wrap(java.nio.ByteBuffer.allocate(0), out);
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    private static Random seeded() {
        System.out.println("seed " + SEED);
        return new Random(SEED);
    }

    private static byte[] damage(byte[] original, Random random) {
        byte[] bytes = original.clone();
        for (int i = random.nextInt(4); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = switch (random.nextInt(4)) {
                case 0 -> '\n';
                case 1 -> '\r';
                case 2 -> ' ';
                default -> (byte) random.nextInt(256);
            };
        }
        return bytes;
    }
}
