package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.net.connection.ClientAddress;
import dev.sallyport.core.net.connection.ConnectionDrain;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What open connections are told, and when. */
class ClientConnectionsTest {

    /**
     * Loops hear of it one after the other: a response that began on one while another had already closed its idle
     * connections did not say {@code Connection: close}.
     */
    @Test
    void allAreDrainingBeforeTheFirstIsTold() {
        List<EmbeddedChannel> channels = new ArrayList<>();
        List<Boolean> drainingWhenTold = new ArrayList<>();
        ClientConnections connections = new ClientConnections(Limits.DEFAULTS, () -> {});
        for (int i = 0; i < 3; i++) {
            EmbeddedChannel channel =
                    new EmbeddedChannel(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                            channels.forEach(open -> drainingWhenTold.add(ConnectionDrain.isDraining(open)));
                            ctx.close();
                        }
                    }) {
                        // The loops are quick: what they were given is done before another one is given something.
                        @Override
                        public EventLoop eventLoop() {
                            channels.forEach(EmbeddedChannel::runPendingTasks);
                            return super.eventLoop();
                        }
                    };
            connections.add(channel);
            channels.add(channel);
            assertThat(ConnectionDrain.isDraining(channel)).isFalse();
        }

        CompletableFuture<DrainReport> drained =
                connections.drain(Duration.ofMinutes(1)).toCompletableFuture();
        channels.forEach(EmbeddedChannel::runPendingTasks);

        assertThat(drainingWhenTold).hasSize(9).containsOnly(true);
        assertThat(drained.join()).isEqualTo(new DrainReport(3, 0));
    }

    @Test
    void addressesOfIpv6AreCountedByTheirFirstHalf() throws Exception {
        ClientAddress one = ClientAddress.of(InetAddress.getByName("2001:db8:1:2::1"));

        assertThat(ClientAddress.of(InetAddress.getByName("2001:db8:1:2:ffff::2")))
                .isEqualTo(one);
        assertThat(ClientAddress.of(InetAddress.getByName("2001:db8:1:3::1"))).isNotEqualTo(one);
        assertThat(ClientAddress.of(InetAddress.getByName("192.0.2.1")))
                .isNotEqualTo(ClientAddress.of(InetAddress.getByName("192.0.2.2")));
    }
}
