package dev.sallyport.server.management;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reader that is too slow misses events, is told how many, and costs no more than a bounded queue. */
class EventStreamTest {

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final EventStream stream = new EventStream(channel);
    private boolean left;

    @BeforeEach
    void begin() {
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                if (ctx.channel().isWritable()) {
                    stream.writable();
                }
            }
        });
        stream.begin(to -> () -> left = true);
    }

    @AfterEach
    void end() {
        stream.close();
        channel.finishAndReleaseAll();
    }

    private void send(String data) {
        stream.event("record", data.getBytes(StandardCharsets.UTF_8));
    }

    private String received() {
        channel.runPendingTasks();
        StringBuilder text = new StringBuilder();
        for (HttpContent next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            text.append(next.content().toString(StandardCharsets.UTF_8));
            next.release();
        }
        return text.toString();
    }

    @Test
    void events_arrive_in_their_order() {
        send("1");
        send("2");

        assertThat(received()).isEqualTo("event: record\ndata: 1\n\nevent: record\ndata: 2\n\n");
    }

    @Test
    void what_does_not_fit_is_dropped_and_told_where_it_is_missing() {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        for (int i = 0; i < 2000; i++) {
            send("n" + i);
        }
        assertThat(received()).isEmpty();

        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        String first = received();
        send("later");
        String second = received();

        assertThat(first)
                .contains("data: n0\n\n")
                .contains("data: n1023\n\n")
                .doesNotContain("data: n1024\n\n")
                .endsWith("event: skipped\ndata: {\"count\":976}\n\n");
        assertThat(second).isEqualTo("event: record\ndata: later\n\n");
    }

    @Test
    void a_few_large_ones_are_bounded_too() {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        for (int i = 0; i < 10; i++) {
            send("x".repeat(300_000));
        }
        channel.runPendingTasks();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);

        assertThat(received()).hasSizeLessThan(1 << 20).endsWith("event: skipped\ndata: {\"count\":7}\n\n");
    }

    @Test
    void the_source_learns_that_the_client_has_left() {
        stream.close();

        assertThat(left).isTrue();
    }
}
