package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BackPressureTest {

    private static final int SIZE = 64 << 20;
    private static final int ONE_READ = 64 << 10;

    static Stream<Arguments> transports() {
        Supplier<EventLoops> epoll = () -> EventLoops.create(1);
        Supplier<EventLoops> nio = () -> EventLoops.createNio(1);
        return Stream.of(Arguments.of(Named.of("epoll", epoll)), Arguments.of(Named.of("nio", nio)));
    }

    /** Gives credit back only after a while, and notes how many bytes it was given without. */
    private static final class SlowConsumer implements UpstreamListener {

        final CompletableFuture<Long> received = new CompletableFuture<>();
        private final Client client;
        private UpstreamStream stream;
        private long total;
        private int held;
        private int mostHeld;

        SlowConsumer(Client client) {
            this.client = client;
        }

        @Override
        public void onReady(UpstreamStream ready) {
            stream = ready;
            ready.head(Client.head("GET", 0), true);
        }

        @Override
        public void onInterim(ResponseMessage head) {}

        @Override
        public void onHead(ResponseMessage head, boolean end) {}

        @Override
        public void onData(ByteBuf data) {
            total += data.readableBytes();
            held += data.readableBytes();
            data.release();
            mostHeld = Math.max(mostHeld, held);
            client.loop.schedule(this::consume, 200, TimeUnit.MICROSECONDS);
        }

        private void consume() {
            int bytes = held;
            held = 0;
            stream.consumed(bytes);
        }

        @Override
        public void onEnd(HeaderBlock trailers) {
            received.complete(total);
        }

        @Override
        public void onWritable() {}

        @Override
        public void onFailure(UpstreamFailure failure) {
            received.completeExceptionally(new AssertionError(failure));
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void aSlowConsumerHoldsNoMoreThanTheWindowAndOneRead(Supplier<EventLoops> transport) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + SIZE + "\r\n\r\n");
                    byte[] block = new byte[1 << 20];
                    for (int sent = 0; sent < SIZE; sent += block.length) {
                        peer.out().write(block);
                    }
                    peer.readToEnd();
                });
                Client client = new Client(Client.profile(limits -> limits, null), transport.get())) {
            SlowConsumer consumer = new SlowConsumer(client);

            client.open(Client.route(origin.port()), consumer);

            assertThat(consumer.received.get(3L * Patience.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(SIZE);
            assertThat(consumer.mostHeld).isLessThanOrEqualTo(OriginHttp1Stream.WINDOW + ONE_READ);
        }
    }

    @Test
    void readsNothingWithoutCredit() throws Exception {
        CountDownLatch checked = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + SIZE + "\r\n\r\n");
                    byte[] block = new byte[SIZE];
                    peer.out().write(block); // ends only once most of it has been read
                    checked.countDown();
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            CountDownLatch full = new CountDownLatch(1);
            Recorder hoarder = new Recorder() {
                private int held;

                @Override
                public void onData(ByteBuf data) {
                    held += data.readableBytes();
                    data.release();
                    if (held >= OriginHttp1Stream.WINDOW) {
                        full.countDown();
                    }
                }
            };
            client.open(Client.route(origin.port()), hoarder);
            hoarder.await(Recorder.Ready.class);
            client.run(() -> hoarder.stream.head(Client.head("GET", 0), true));

            assertThat(full.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();

            assertThat(checked.getCount()).isOne();
            client.run(hoarder.stream::abort);
        }
    }

    @Test
    void aSlowOriginMakesTheStreamUnwritableUntilItReads() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    read.await();
                    peer.readToEnd();
                });
                Client client = Client.plain()) {
            CountDownLatch writable = new CountDownLatch(1);
            Recorder recorder = new Recorder() {
                @Override
                public void onWritable() {
                    writable.countDown();
                }
            };
            client.open(Client.route(origin.port()), recorder);
            recorder.await(Recorder.Ready.class);
            client.run(() -> recorder.stream.head(Client.head("POST", RequestMessage.UNKNOWN_LENGTH), false));

            long sent = 0;
            while (Client.on(client.loop, recorder.stream::isWritable)) {
                client.run(() -> recorder.stream.data(Unpooled.wrappedBuffer(new byte[ONE_READ])));
                sent += ONE_READ;
                assertThat(sent).isLessThan(SIZE);
            }
            read.countDown();

            assertThat(writable.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            client.run(recorder.stream::abort);
        }
    }
}
