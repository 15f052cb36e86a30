package dev.sallyport.core.dns;

import dev.sallyport.core.config.BindErrors;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.meter.OutcomeTimer;
import dev.sallyport.core.resolve.ChannelTypes;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DNS server of one proxy, over UDP and TCP on one port. Thread-safe; the caller owns its loop, which must serve
 * nothing else and live longer.
 */
public final class DnsServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DnsServer.class);
    private static final int BACKLOG = 128;
    private static final int SOCKET_BUFFER = 1 << 20;
    private static final int DATAGRAM = 4096 + 1;
    private static final int DATAGRAMS_AT_ONCE = 16;
    private static final int SHARE = 8;
    private static final int ATTEMPTS = 20;
    private static final int CLOSE_SECONDS = 1;

    private final EventLoop loop;
    private final ChannelTypes transport;
    private final DnsCounters counters = new DnsCounters();
    private final Responder responder;
    private final ChannelGroup channels;
    private final SourceQuota connections = new SourceQuota(SHARE);
    private final InetSocketAddress address;

    private DnsServer(EventLoop loop, DnsSection section, OutcomeTimer passed, Opening opening) throws IOException {
        this.loop = loop;
        this.transport = ChannelTypes.of(loop);
        this.responder = new Responder(loop, Zone.of(section), counters, passed);
        this.channels = new DefaultChannelGroup(loop);
        this.address = opening.open(this);
    }

    /** Opens the sockets of a server. */
    private interface Opening {
        InetSocketAddress open(DnsServer server) throws IOException;
    }

    /**
     * Binds; blocks until it answers. Not to be called on an event loop.
     *
     * @throws IOException when the address cannot be bound; the message is one line
     */
    public static DnsServer start(EventLoop loop, DnsSection section) throws IOException {
        return start(loop, section, OutcomeTimer.NONE);
    }

    /**
     * As {@link #start(EventLoop, DnsSection)}.
     *
     * @param passed times the queries that are passed to the upstream resolver
     */
    public static DnsServer start(EventLoop loop, DnsSection section, OutcomeTimer passed) throws IOException {
        return new DnsServer(loop, section, passed, server -> {
            InetSocketAddress bound = server.bind(section.listen().toSocketAddress());
            LOG.info("listening on {} (dns.listen)", NetUtil.toSocketAddressString(bound));
            return bound;
        });
    }

    /**
     * Answers at sockets that are bound already, in whichever network namespace, and closes them at the end; {@code
     * dns.listen} does not count. Linux only, with its native transport. Blocks until it answers. Not to be called on an
     * event loop.
     *
     * @param streams descriptors of TCP sockets that listen
     * @param datagrams descriptors of UDP sockets; at least one
     */
    public static DnsServer adopt(EventLoop loop, DnsSection section, List<Integer> streams, List<Integer> datagrams)
            throws IOException {
        return new DnsServer(loop, section, OutcomeTimer.NONE, server -> {
            for (int descriptor : streams) {
                EpollServerSocketChannel socket = new EpollServerSocketChannel(descriptor);
                server.adopt(server.overTcp().channelFactory(() -> socket).register());
            }
            InetSocketAddress first = null;
            for (int descriptor : datagrams) {
                EpollDatagramChannel socket = new EpollDatagramChannel(descriptor);
                server.adopt(server.overUdp().channelFactory(() -> socket).register());
                first = first == null ? socket.localAddress() : first;
            }
            return Objects.requireNonNull(first, "a UDP socket");
        });
    }

    private void adopt(ChannelFuture registered) throws IOException {
        if (!registered.awaitUninterruptibly().isSuccess()) {
            throw new IOException("a DNS socket of another namespace: " + registered.cause(), registered.cause());
        }
        channels.add(registered.channel());
    }

    /** The bound address, with the actual port if 0 was requested. */
    public InetSocketAddress address() {
        return address;
    }

    /** Uses this section from now on; the address stays. */
    public void reconfigure(DnsSection section) {
        responder.zone(Zone.of(section));
    }

    /** The statistics so far. */
    public DnsStats stats() {
        return counters.snapshot();
    }

    /**
     * Closes the sockets and abandons queries in progress; blocks until that is done, or the loop turns out to be
     * blocked.
     */
    @Override
    public void close() {
        if (channels.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS)) {
            loop.submit(responder::close).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** One port for both transports: port 0 selects a port that is free for both. */
    private InetSocketAddress bind(InetSocketAddress wanted) throws IOException {
        if (wanted.isUnresolved()) {
            throw new IOException(at(wanted) + ": unknown host (expected: an address of this machine)");
        }
        for (int attempt = 1; true; attempt++) {
            ChannelFuture tcp =
                    overTcp().channel(transport.server()).bind(wanted).awaitUninterruptibly();
            check(wanted, tcp);
            InetSocketAddress found = (InetSocketAddress) tcp.channel().localAddress();
            ChannelFuture udp = overUdp()
                    .channel(transport.datagram())
                    .bind(new InetSocketAddress(wanted.getAddress(), found.getPort()));
            udp.awaitUninterruptibly();
            if (udp.isSuccess()) {
                channels.add(tcp.channel());
                channels.add(udp.channel());
                return found;
            }
            tcp.channel().close().awaitUninterruptibly();
            if (wanted.getPort() != 0 || attempt == ATTEMPTS) {
                check(wanted, udp);
            }
        }
    }

    private static void check(InetSocketAddress wanted, ChannelFuture bound) throws IOException {
        Throwable cause = bound.cause();
        if (cause != null) {
            throw new IOException(at(wanted) + ": " + BindErrors.reason(cause), cause);
        }
    }

    private static String at(InetSocketAddress wanted) {
        return "dns.listen " + wanted.getHostString() + ":" + wanted.getPort();
    }

    private Bootstrap overUdp() {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new UdpHandler(responder));
                    }
                });
        if (transport.epoll()) { // Several datagrams with one call.
            bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, DATAGRAM);
        }
        int room = transport.epoll() ? DATAGRAM * DATAGRAMS_AT_ONCE : DATAGRAM;
        return bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(room));
    }

    private ServerBootstrap overTcp() {
        return new ServerBootstrap()
                .group(loop)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.RECVBUF_ALLOCATOR, EventLoops.manyAtOnce())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accepted(channel);
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                        HeapExhaustion.note(cause);
                        ctx.close();
                    }
                });
    }

    private void accepted(SocketChannel channel) {
        InetSocketAddress peer = channel.remoteAddress();
        if (peer == null) {
            channel.close();
            return;
        }
        InetAddress source = peer.getAddress();
        if (!connections.tryTake(source, responder.zone().limits().tcpConnections())) {
            LOG.debug("connection from {} closed: too many connections", source);
            channel.close();
            return;
        }
        channel.closeFuture().addListener(closed -> connections.giveBack(source));
        channels.add(channel);
        channel.pipeline().addLast(new TcpHandler(responder, channel));
    }
}
