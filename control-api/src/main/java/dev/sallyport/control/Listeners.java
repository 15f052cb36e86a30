package dev.sallyport.control;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import jakarta.inject.Singleton;
import java.time.Duration;

/** The channels that accept connections: Micronaut leaves it to the end of their loops to close them, and awaits none. */
@Singleton
final class Listeners implements BeanCreatedEventListener<NettyServerCustomizer.Registry>, NettyServerCustomizer {

    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    @Override
    public NettyServerCustomizer.Registry onCreated(BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
        event.getBean().register(this);
        return event.getBean();
    }

    @Override
    public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
        if (role == ChannelRole.LISTENER) {
            channels.add(channel);
        }
        return this;
    }

    /** Frees the ports, for good. Blocks; returns whether it could be done in this time. */
    boolean close(Duration limit) {
        return channels.close().awaitUninterruptibly(limit.toMillis());
    }
}
