package dev.sallyport.server.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sallyport.core.resolve.Resolver;
import dev.sallyport.core.resolve.ResolverSettings;
import dev.sallyport.server.LocalNames;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DemoNamesTest {

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private LocalNames names;
    private Resolver resolver;

    @BeforeEach
    void start() throws Exception {
        names = DemoNames.start(0);
        resolver = new Resolver(ResolverSettings.system()
                .withServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), names.port())));
    }

    @AfterEach
    void stop() {
        resolver.close();
        names.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void knows_the_names_of_the_demo_in_any_case() throws Exception {
        assertThat(resolve("api.demo.test"))
                .extracting(InetAddress::getHostAddress)
                .containsExactly("127.0.0.1");
        assertThat(resolve("METADATA.demo.test"))
                .extracting(InetAddress::getHostAddress)
                .containsExactly("169.254.169.254");
    }

    @Test
    void other_names_of_the_zone_do_not_exist() {
        assertThat(catchThrowable(() -> resolve("elsewhere.demo.test"))).hasMessageContaining("elsewhere.demo.test");
    }

    @Test
    void survives_what_is_no_question() throws Exception {
        // given: too short, a label that runs past the end, a pointer
        try (DatagramSocket client = new DatagramSocket()) {
            InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), names.port());
            for (byte[] bad : List.of(new byte[3], new byte[] {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 40, 1}, new byte[] {
                0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, (byte) 0xC0, 12
            })) {
                client.send(new DatagramPacket(bad, bad.length, server));
            }
        }

        // then: it still answers
        assertThat(resolve("api.demo.test")).hasSize(1);
    }

    @Test
    void takes_a_free_port_when_the_preferred_one_is_taken() throws Exception {
        try (LocalNames second = DemoNames.start(names.port())) {
            assertThat(second.port()).isNotEqualTo(names.port()).isPositive();
        }
    }

    private List<InetAddress> resolve(String name) throws Exception {
        EventLoop loop = (EventLoop) group.next();
        return resolver.resolveAll(loop, name).sync().getNow();
    }
}
