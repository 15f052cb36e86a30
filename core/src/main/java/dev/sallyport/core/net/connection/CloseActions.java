package dev.sallyport.core.net.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What is to be done when a connection has closed, once its handlers have worked off what had arrived by then: bytes may wait
 * for their turn, while a channel's {@link Channel#closeFuture} is done as soon as the socket is closed. Stands first in the
 * pipeline. Confined to the channel's loop.
 */
final class CloseActions extends ChannelInboundHandlerAdapter {

    private final List<Runnable> actions = new ArrayList<>(2);

    /** Those of a connection that has just been accepted. */
    static void begin(Channel channel) {
        if (channel.pipeline().get(CloseActions.class) == null) {
            channel.pipeline().addFirst(new CloseActions());
        }
    }

    /** Does this when the connection has closed, after what was added before. */
    static void add(Channel channel, Runnable action) {
        Objects.requireNonNull(channel.pipeline().get(CloseActions.class), "begun")
                .actions
                .add(action);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        ctx.fireChannelInactive();
        for (Runnable action : actions) {
            action.run();
        }
    }
}
