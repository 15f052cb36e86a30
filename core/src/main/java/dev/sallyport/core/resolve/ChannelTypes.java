package dev.sallyport.core.resolve;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** The channel types that a loop supports. */
public record ChannelTypes(
        Class<? extends DatagramChannel> datagram,
        Class<? extends SocketChannel> stream,
        Class<? extends ServerSocketChannel> server,
        boolean epoll) {

    /** The channel types of a loop's transport. */
    public static ChannelTypes of(EventLoop loop) {
        return Epoll.isAvailable() && loop instanceof IoEventLoop io && io.isCompatible(EpollIoHandle.class)
                ? new ChannelTypes(
                        EpollDatagramChannel.class, EpollSocketChannel.class, EpollServerSocketChannel.class, true)
                : new ChannelTypes(
                        NioDatagramChannel.class, NioSocketChannel.class, NioServerSocketChannel.class, false);
    }
}
