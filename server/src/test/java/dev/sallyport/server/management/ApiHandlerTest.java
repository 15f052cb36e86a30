package dev.sallyport.server.management;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.server.http.HttpListener;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ApiHandlerTest {

    private final CountDownLatch over = new CountDownLatch(1);
    private final SynchronousQueue<Thread> begun = new SynchronousQueue<>();

    /** Answers when the test says so. */
    private final class Slow implements Route {

        @Override
        public String method() {
            return "GET";
        }

        @Override
        public String path() {
            return "/slow";
        }

        @Override
        public ApiResponse answer(ApiRequest request) {
            try {
                begun.put(Thread.currentThread());
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return new ApiResponse.Content(200, "text/plain", new byte[0], Map.of());
        }
    }

    @Test
    void an_answer_that_comes_after_the_end_of_the_listener_is_dropped_in_silence() throws Exception {
        Routes routes = new Routes(List.of(new Slow()), null);
        HttpListener listener = new HttpListener("test", "test", () -> new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new ApiHandler(routes, channel));
            }
        });
        Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> uncaught.add(fault));
        listener.start(new ListenAddress("127.0.0.1", 0));
        try (Socket client = new Socket(
                InetAddress.getLoopbackAddress(),
                Objects.requireNonNull(listener.address()).getPort())) {
            client.getOutputStream().write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Thread answering = begun.take();

            listener.close();
            over.countDown();
            answering.join();

            assertThat(uncaught).isEmpty();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
            listener.close();
        }
    }
}
