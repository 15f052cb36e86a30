package dev.sallyport.core.resolve;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** The channels that a loop can carry. */
record Transport(Class<? extends DatagramChannel> datagram, Class<? extends SocketChannel> stream) {

    static Transport of(EventLoop loop) {
        return Epoll.isAvailable() && loop instanceof IoEventLoop io && io.isCompatible(EpollIoHandle.class)
                ? new Transport(EpollDatagramChannel.class, EpollSocketChannel.class)
                : new Transport(NioDatagramChannel.class, NioSocketChannel.class);
    }
}
