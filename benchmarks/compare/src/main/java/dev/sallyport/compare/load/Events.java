package dev.sallyport.compare.load;

import dev.sallyport.compare.net.HttpScanner;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Streams of events (SSE). Each event has in it when the origin sent it, and both are in this JVM: latency is the time that
 * an event was on its way.
 */
public final class Events extends Load {

    private static final int AT_A_TIME = 50;

    private final Dialler dialler;
    private final Route route;
    private final int streams;
    private final int perSecond;
    private final Set<Stream> open = new HashSet<>();
    private int dialled;

    /** @param perSecond events a second on each stream */
    public Events(Dialler dialler, Route route, int streams, int perSecond) {
        super(dialler);
        this.dialler = dialler;
        this.route = route;
        this.streams = streams;
        this.perSecond = perSecond;
    }

    private final class Stream extends HttpScanner {

        private final StringBuilder text = new StringBuilder();
        private final ChannelHandlerContext[] context = new ChannelHandlerContext[1];

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context[0] = ctx;
        }

        @Override
        protected boolean head(ChannelHandlerContext ctx, ByteBuf in, int start, int end) {
            if (status(in, start) == 200) {
                open.add(this);
                dial();
            } else {
                counter.error(new IOException("the stream was answered with " + status(in, start)));
                ctx.close();
            }
            return true;
        }

        @Override
        protected Unframed unframed() {
            return Unframed.UNTIL_CLOSE;
        }

        @Override
        protected void body(ChannelHandlerContext ctx, ByteBuf in, int start, int bytes) {
            counter.bytes(bytes);
            text.append(text(in, start, start + bytes));
            int from = 0;
            int end = text.indexOf("\n\n");
            while (end >= 0) {
                counter.done(Long.parseLong(text, from + 6, end, 10));
                from = end + 2;
                end = text.indexOf("\n\n", from);
            }
            text.delete(0, from);
        }

        @Override
        protected void end(ChannelHandlerContext ctx) {
            ctx.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws Exception {
            super.channelInactive(ctx);
            if (open.remove(this) && !closed) {
                counter.error(new IOException("a stream of events ended"));
            }
        }
    }

    @Override
    void connect() {
        for (int i = 0; i < AT_A_TIME; i++) {
            dial();
        }
    }

    private void dial() {
        if (closed || dialled == streams) {
            return;
        }
        dialled++;
        dialler.dial(route, List.of()).addListener(future -> {
            if (!future.isSuccess()) {
                counter.error(future.cause());
                return;
            }
            Channel channel = (Channel) future.getNow();
            channel.pipeline().addLast(new Stream());
            channel.writeAndFlush(HttpScanner.ascii(
                    channel.pipeline().lastContext(), route.get("/events/" + perSecond, "Accept: text/event-stream")));
        });
    }

    @Override
    int wanted() {
        return streams;
    }

    @Override
    int connected() {
        return open.size();
    }

    @Override
    void start() {}

    @Override
    void disconnect() {
        List.copyOf(open).forEach(stream -> stream.context[0].close());
    }
}
