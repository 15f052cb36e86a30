package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.WebSocketFrames;
import dev.sallyport.testsupport.WebSocketFrames.Frame;
import dev.sallyport.testsupport.Wire;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transforms that rewrite the text messages of a WebSocket. */
class WebSocketMessagesTest {

    private static final int TEXT = WebSocketFrames.FIN | WebSocketFrames.TEXT;

    @TempDir
    Path folder;

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private String seen() throws InterruptedException {
        return seen.poll(Patience.SECONDS, TimeUnit.SECONDS);
    }

    /** Replaces text in a whole message; on its way back the other way round. */
    private static final class Swap implements BodyRewriter {

        private final String from;
        private final String to;
        private final ByteArrayOutputStream read = new ByteArrayOutputStream();

        Swap(String from, String to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public void write(ByteBuffer in, Sink out) {
            while (in.hasRemaining()) {
                read.write(in.get());
            }
        }

        @Override
        public void end(Sink out) {
            String text = read.toString(StandardCharsets.UTF_8).replace(from, to);
            out.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static final InlineTransform SWAP = request -> Decision.proceed(Edits.builder()
            .sensitive()
            .rewriteMessages(Direction.REQUEST, () -> new Swap("placeholder", "secret"))
            .rewriteMessages(Direction.RESPONSE, () -> new Swap("secret", "placeholder"))
            .build());

    private TestProxy swapping(String... proxyLines) throws Exception {
        TestProxy.Builder builder = TestProxy.builder(folder).transform("swap", SWAP);
        return proxyLines.length == 0
                ? builder.start()
                : builder.proxyLines(proxyLines).start();
    }

    /** Remembers what arrives as text, and sends it back. */
    private TestOrigin echo(String... agreement) throws IOException {
        return TestOrigin.of(peer -> {
            String head = peer.readHead();
            seen.add(Wire.field(head, "Sec-WebSocket-Extensions"));
            peer.send(WebSocketFrames.agreement(head, agreement));
            while (true) {
                Frame frame = WebSocketFrames.read(peer);
                assertThat(frame.masked()).isTrue();
                if (frame.opcode() == WebSocketFrames.TEXT) {
                    seen.add(frame.text());
                }
                peer.send(WebSocketFrames.frame(frame.first(), frame.payload(), false));
            }
        });
    }

    private static Wire open(TestProxy proxy, TestOrigin origin, String... more) throws Exception {
        Wire client = proxy.http().send(WebSocketFrames.opening("/", origin.authority(), more));
        assertThat(client.readHead()).startsWith("HTTP/1.1 101 ");
        return client;
    }

    @Test
    void swapsInBothDirections() throws Exception {
        try (TestOrigin origin = echo();
                TestProxy proxy = swapping();
                Wire client = open(proxy, origin)) {
            client.send(WebSocketFrames.text("a placeholder", true));

            assertThat(WebSocketFrames.read(client).text()).isEqualTo("a placeholder");
            assertThat(seen()).isEmpty();
            assertThat(seen()).isEqualTo("a secret");
        }
    }

    @Test
    void findsWhatFragmentsTakeApartAndLetsControlFramesPass() throws Exception {
        try (TestOrigin origin = echo();
                TestProxy proxy = swapping();
                Wire client = open(proxy, origin)) {
            client.send(
                    WebSocketFrames.frame(WebSocketFrames.TEXT, "one place".getBytes(StandardCharsets.US_ASCII), true));
            client.send(WebSocketFrames.frame(WebSocketFrames.FIN | WebSocketFrames.PING, new byte[] {1, 2}, true));
            Frame ping = WebSocketFrames.read(client);
            client.send(WebSocketFrames.frame(
                    WebSocketFrames.CONTINUATION, "hold".getBytes(StandardCharsets.US_ASCII), true));
            client.send(WebSocketFrames.frame(WebSocketFrames.FIN, "er".getBytes(StandardCharsets.US_ASCII), true));

            assertThat(ping.opcode()).isEqualTo(WebSocketFrames.PING);
            assertThat(ping.payload()).containsExactly(1, 2);
            Frame text = WebSocketFrames.read(client);
            assertThat(text.text()).isEqualTo("one placeholder");
            assertThat(text.fin()).isTrue();
            assertThat(seen()).isEmpty();
            assertThat(seen()).isEqualTo("one secret");
        }
    }

    @Test
    void leavesBinaryMessagesAlone() throws Exception {
        try (TestOrigin origin = echo();
                TestProxy proxy = swapping();
                Wire client = open(proxy, origin)) {
            byte[] part = "placeholder".getBytes(StandardCharsets.US_ASCII);
            client.send(WebSocketFrames.frame(WebSocketFrames.BINARY, part, true))
                    .send(WebSocketFrames.frame(WebSocketFrames.FIN, part, true));

            Frame first = WebSocketFrames.read(client);
            assertThat(first.first()).isEqualTo(WebSocketFrames.BINARY);
            assertThat(first.payload()).isEqualTo(part);
            Frame second = WebSocketFrames.read(client);
            assertThat(second.first()).isEqualTo(WebSocketFrames.FIN);
            assertThat(second.payload()).isEqualTo(part);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "permessage-deflate",
                "permessage-deflate; client_no_context_takeover; server_no_context_takeover",
                "permessage-deflate; server_max_window_bits=10; client_max_window_bits=11"
            })
    void findsWhatIsCompressed(String agreed) throws Exception {
        boolean takeover = !agreed.contains("no_context");
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    String head = peer.readHead();
                    peer.send(WebSocketFrames.agreement(head, "Sec-WebSocket-Extensions: " + agreed));
                    Deflate deflate = new Deflate(takeover);
                    while (true) {
                        String text = deflate.read(peer);
                        seen.add(text);
                        peer.send(deflate.text(text, false));
                    }
                });
                TestProxy proxy = swapping();
                Wire client = open(proxy, origin, "Sec-WebSocket-Extensions: " + agreed)) {
            Deflate deflate = new Deflate(takeover);
            for (int i = 0; i < 5; i++) {
                String text = "placeholder " + "and more of the same ".repeat(1000 * i) + i;
                client.send(deflate.text(text, true));

                assertThat(deflate.read(client)).isEqualTo(text);
                assertThat(seen()).isEqualTo(text.replace("placeholder", "secret"));
            }
            // Compressed binary data shares the context.
            client.send(deflate.frame(
                    WebSocketFrames.FIN | WebSocketFrames.BINARY,
                    "placeholder".getBytes(StandardCharsets.US_ASCII),
                    true));
            assertThat(seen()).isEqualTo("placeholder");
            client.send(deflate.text("", true));
            assertThat(seen()).isEmpty();
        }
    }

    /** Both ends of permessage-deflate. */
    private static final class Deflate {

        private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        private final Inflater inflater = new Inflater(true);
        private final boolean takeover;

        Deflate(boolean takeover) {
            this.takeover = takeover;
        }

        byte[] text(String text, boolean masked) {
            return frame(TEXT, text.getBytes(StandardCharsets.UTF_8), masked);
        }

        byte[] frame(int first, byte[] bytes, boolean masked) {
            byte[] out = new byte[bytes.length + 64];
            deflater.setInput(bytes);
            int length = deflater.deflate(out, 0, out.length, Deflater.SYNC_FLUSH);
            if (!takeover) {
                deflater.reset();
            }
            byte[] payload = length < 5 ? new byte[1] : java.util.Arrays.copyOf(out, length - 4);
            return WebSocketFrames.frame(first | WebSocketFrames.RSV1, payload, masked);
        }

        String read(Wire wire) throws IOException, DataFormatException {
            ByteArrayOutputStream payload = new ByteArrayOutputStream();
            Frame frame = WebSocketFrames.read(wire);
            boolean compressed = (frame.first() & WebSocketFrames.RSV1) != 0;
            payload.writeBytes(frame.payload());
            while (!frame.fin()) {
                frame = WebSocketFrames.read(wire);
                payload.writeBytes(frame.payload());
            }
            if (!compressed) {
                return payload.toString(StandardCharsets.UTF_8);
            }
            payload.writeBytes(new byte[] {0, 0, -1, -1});
            inflater.setInput(payload.toByteArray());
            byte[] out = new byte[1 << 20];
            int length = inflater.inflate(out);
            if (!takeover) {
                inflater.reset();
            }
            return new String(out, 0, length, StandardCharsets.UTF_8);
        }
    }

    @Test
    void offersOnlyWhatItCanRead() throws Exception {
        try (TestOrigin origin = echo();
                TestProxy proxy = swapping();
                Wire client = open(
                        proxy,
                        origin,
                        "Sec-WebSocket-Extensions: x-secret-sauce; a=1, permessage-deflate; client_max_window_bits",
                        "Sec-WebSocket-Extensions: x-other")) {
            assertThat(seen()).isEqualTo("permessage-deflate; client_max_window_bits");
            client.send(WebSocketFrames.text("x", true));
        }
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead(), "Sec-WebSocket-Extensions: x-secret-sauce"));
                    peer.readToEnd();
                });
                TestProxy proxy = swapping();
                Wire client = proxy.http().send(WebSocketFrames.opening("/", origin.authority()))) {
            assertThat(client.message().status()).isEqualTo(502);
            assertThat(proxy.record().get("error").asText()).contains("extension");
        }
    }

    @Test
    void closesWith1009WhenAMessageIsLongerThanWhatMayBeBuffered() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    ended(peer);
                });
                TestProxy proxy = swapping("upstream_deny_cidrs: []", "max_request_body_bytes: 1000");
                Wire client = open(proxy, origin)) {
            client.send(WebSocketFrames.frame(WebSocketFrames.TEXT, new byte[900], true));
            client.send(WebSocketFrames.frame(WebSocketFrames.FIN, new byte[200], true));

            Frame close = WebSocketFrames.read(client);
            assertThat(close.opcode()).isEqualTo(WebSocketFrames.CLOSE);
            assertThat(close.payload()).containsExactly(1009 >> 8, (byte) 1009);
            assertThat(seen()).isEqualTo("reset");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
            assertThat(record.get("error").asText()).contains("message_too_large");
        }
    }

    /** A few bytes become many: what is made is limited as what comes is, and nothing of it is made beyond that. */
    @Test
    void closesWith1009WhenRewritingMakesAMessageTooLong() throws Exception {
        byte[] value = new byte[64 << 10];
        InlineTransform growing = request -> Decision.proceed(Edits.builder()
                .rewriteMessages(Direction.REQUEST, () -> new BodyRewriter() {
                    @Override
                    public void write(ByteBuffer in, Sink out) {
                        for (; in.hasRemaining(); in.get()) {
                            out.write(ByteBuffer.wrap(value));
                        }
                    }

                    @Override
                    public void end(Sink out) {}
                })
                .build());
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    ended(peer);
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("growing", growing)
                        .proxyLines("upstream_deny_cidrs: []", "max_request_body_bytes: 1000000")
                        .start();
                Wire client = open(proxy, origin)) {
            client.send(WebSocketFrames.frame(TEXT, new byte[60_000], true));

            Frame close = WebSocketFrames.read(client);
            assertThat(close.opcode()).isEqualTo(WebSocketFrames.CLOSE);
            assertThat(close.payload()).containsExactly(1009 >> 8, (byte) 1009);
            assertThat(seen()).isEqualTo("reset");
            assertThat(proxy.record().get("error").asText()).contains("message_too_large", "rewritten");
        }
    }

    private void ended(Wire peer) throws IOException {
        try {
            Frame frame = WebSocketFrames.read(peer);
            seen.add(frame.opcode() == WebSocketFrames.CLOSE ? "close" : frame.text());
        } catch (SocketException reset) {
            seen.add("reset");
        } catch (EOFException end) {
            seen.add("end");
        }
    }

    @Test
    void resetsBothSidesWhenATransformFails() throws Exception {
        InlineTransform failing = request -> Decision.proceed(Edits.builder()
                .rewriteMessages(Direction.REQUEST, () -> {
                    throw new IllegalStateException("secret detail");
                })
                .build());
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    ended(peer);
                });
                TestProxy proxy =
                        TestProxy.builder(folder).transform("failing", failing).start();
                Wire client = open(proxy, origin)) {
            client.send(WebSocketFrames.text("hello", true));

            assertThat(WebSocketFrames.read(client).payload()).containsExactly(1011 >> 8, (byte) 1011);
            assertThatThrownBy(() -> client.in().read()).isInstanceOf(SocketException.class);
            assertThat(seen()).isEqualTo("reset");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("error");
            assertThat(record.get("error").asText())
                    .contains("could not rewrite")
                    .doesNotContain("secret detail");
        }
    }

    /** RFC 6455, 5.1: what is not masked could be chosen so that an intermediary takes it for something else. */
    @Test
    void passesNoFrameOfAClientOnThatIsNotMasked() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    ended(peer);
                });
                TestProxy proxy = swapping();
                Wire client = open(proxy, origin)) {
            client.send(WebSocketFrames.text("a placeholder", false));

            assertThat(WebSocketFrames.read(client).payload()).containsExactly(1002 >> 8, (byte) 1002);
            assertThat(seen()).isEqualTo("reset");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
            assertThat(record.get("error").asText()).contains("without a mask");
        }
    }

    /** First byte, mask, payload. */
    @ParameterizedTest
    @ValueSource(ints = {TEXT | 0x40, TEXT | 0x20, 0x83, 0x80, 0x08, 0x8b, 0x00})
    void passesNothingOnThatBreaksTheProtocol(int first) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send(WebSocketFrames.agreement(peer.readHead()));
                    ended(peer);
                });
                TestProxy proxy = swapping();
                Wire client = open(proxy, origin)) {
            client.send(WebSocketFrames.frame(first, new byte[] {1, 2}, true));

            assertThat(WebSocketFrames.read(client).payload()).containsExactly(1002 >> 8, (byte) 1002);
            assertThat(seen()).isEqualTo("reset");
        }
    }

    @Test
    void rewritersOfResponseStepsWorkToo() throws Exception {
        InlineTransform later = request -> Decision.proceed(
                Edits.none(),
                ResponseStep.inline(response -> ResponseDecision.proceed(Edits.builder()
                        .rewriteMessages(Direction.RESPONSE, () -> new Swap("x", "y"))
                        .build())));
        try (TestOrigin origin = echo();
                TestProxy proxy =
                        TestProxy.builder(folder).transform("later", later).start();
                Wire client = open(proxy, origin)) {
            client.send(WebSocketFrames.text("xxx", true));

            assertThat(WebSocketFrames.read(client).text()).isEqualTo("yyy");
        }
    }

    @Test
    void anUndeclaredRewriterIsAFault() throws Exception {
        Capabilities none = Capabilities.builder().writes(Part.REQUEST_BODY).build();
        InlineTransform undeclared = request -> Decision.proceed(Edits.builder()
                .rewriteMessages(Direction.REQUEST, () -> new Swap("x", "y"))
                .build());
        try (TestOrigin origin = echo();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("undeclared", none, undeclared)
                        .start();
                Wire client = proxy.http().send(WebSocketFrames.opening("/", origin.authority()))) {
            assertThat(client.message().status()).isEqualTo(500);
        }
    }

    @Test
    void ordinaryExchangesTakeNoNotice() throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("placeholder"));
                TestProxy proxy = swapping()) {
            assertThat(proxy.get(origin, "/").body()).isEqualTo("placeholder");
        }
    }
}
