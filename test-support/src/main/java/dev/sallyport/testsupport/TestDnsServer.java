package dev.sallyport.testsupport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DefaultDnsResponse;
import io.netty.handler.codec.dns.DnsQuery;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.handler.codec.dns.TcpDnsQueryDecoder;
import io.netty.handler.codec.dns.TcpDnsResponseEncoder;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A small authoritative server on loopback, UDP and TCP on one port, for tests. */
public final class TestDnsServer implements AutoCloseable {

    /** The questions, as {@code udp A name.} or {@code tcp AAAA name.}, in order. */
    public final Queue<String> asked = new ConcurrentLinkedQueue<>();

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Map<String, Zone> zones = new ConcurrentHashMap<>();
    private final Channel udp;
    private final Channel tcp;

    private static final int ATTEMPTS = 50;
    private static final int HEADER = 12;
    private static final int POINTER = 0xC000;
    private static final int POINTER_END = 0x4000;

    /** One name. */
    private static final class Zone {
        private final List<Entry> entries = new ArrayList<>();
        private DnsResponseCode code = DnsResponseCode.NOERROR;
        private int dropped;
        private boolean truncated;
        private int chained;
    }

    private record Entry(DnsRecordType type, long ttl, byte[] content) {}

    /** Starts, on a port that is free for both transports. */
    public TestDnsServer() {
        Channel overUdp = bindUdp();
        ChannelFuture overTcp = bindTcp(port(overUdp)).awaitUninterruptibly();
        for (int attempt = 1; attempt < ATTEMPTS && !overTcp.isSuccess(); attempt++) {
            overUdp.close().syncUninterruptibly();
            overUdp = bindUdp();
            overTcp = bindTcp(port(overUdp)).awaitUninterruptibly();
        }
        udp = overUdp;
        tcp = overTcp.syncUninterruptibly().channel();
    }

    private static int port(Channel bound) {
        return ((InetSocketAddress) bound.localAddress()).getPort();
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) udp.localAddress();
    }

    /** Adds an address to a name. */
    public TestDnsServer address(String name, String address, long ttl) {
        byte[] content = NetUtil.createByteArrayFromIpAddressString(address);
        DnsRecordType type = content.length == 4 ? DnsRecordType.A : DnsRecordType.AAAA;
        zone(name).entries.add(new Entry(type, ttl, content));
        return this;
    }

    /** Makes a name an alias of another. */
    public TestDnsServer alias(String name, String target) {
        ByteBuf content = Unpooled.buffer();
        for (String label : target.split("\\.", -1)) {
            content.writeByte(label.length()).writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        content.writeByte(0);
        byte[] bytes = new byte[content.readableBytes()];
        content.readBytes(bytes);
        zone(name).entries.add(new Entry(DnsRecordType.CNAME, 60, bytes));
        return this;
    }

    /** Makes a name exist without records. */
    public TestDnsServer empty(String name) {
        zone(name);
        return this;
    }

    /** Answers questions for a name with an error. */
    public TestDnsServer fail(String name, DnsResponseCode code) {
        zone(name).code = code;
        return this;
    }

    /** Does not answer the next questions for a name. */
    public TestDnsServer drop(String name, int questions) {
        zone(name).dropped = questions;
        return this;
    }

    /** Truncates answers over UDP. */
    public TestDnsServer truncate(String name) {
        zone(name).truncated = true;
        return this;
    }

    /**
     * Answers questions for the addresses of a name over TCP, and only there, with so many of 127.0.0.0/8, each of whose
     * names is a pointer to the one before, as far as pointers reach (RFC 1035, 4.1.4).
     */
    public TestDnsServer chain(String name, int addresses) {
        Zone zone = zone(name);
        zone.truncated = true;
        zone.chained = addresses;
        return this;
    }

    @Override
    public void close() {
        udp.close().syncUninterruptibly();
        tcp.close().syncUninterruptibly();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private Zone zone(String name) {
        return zones.computeIfAbsent(name + ".", key -> new Zone());
    }

    private Channel bindUdp() {
        return new Bootstrap()
                .group(group)
                .channel(NioDatagramChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new DatagramDnsQueryDecoder(), new DatagramDnsResponseEncoder(), new OverUdp());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    private ChannelFuture bindTcp(int port) {
        return new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new TcpDnsQueryDecoder(), new TcpDnsResponseEncoder(), new OverTcp());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), port);
    }

    /** Builds the answer; null for none. */
    private @Nullable DnsResponse answer(DnsQuery query, DnsResponse response, boolean overUdp) {
        DnsQuestion question = query.recordAt(DnsSection.QUESTION);
        asked.add((overUdp ? "udp " : "tcp ") + question.type().name() + " " + question.name());
        Zone zone = zones.get(question.name());
        response.setRecursionAvailable(true).setRecursionDesired(true);
        response.addRecord(DnsSection.QUESTION, question);
        if (zone == null) {
            return response.setCode(DnsResponseCode.NXDOMAIN);
        }
        if (zone.dropped > 0) {
            zone.dropped--;
            return null;
        }
        if (zone.truncated && overUdp) {
            return response.setTruncated(true);
        }
        for (Entry entry : zone.entries) {
            if (entry.type.equals(question.type()) || entry.type.equals(DnsRecordType.CNAME)) {
                DnsRecord record = new DefaultDnsRawRecord(
                        question.name(), entry.type, entry.ttl, Unpooled.wrappedBuffer(entry.content));
                response.addRecord(DnsSection.ANSWER, record);
            }
        }
        return response.setCode(zone.code);
    }

    private final class OverUdp extends SimpleChannelInboundHandler<DatagramDnsQuery> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
            DatagramDnsResponse response = new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
            if (answer(query, response, true) == null) {
                response.release();
            } else {
                context.writeAndFlush(response);
            }
        }
    }

    private final class OverTcp extends SimpleChannelInboundHandler<DnsQuery> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DnsQuery query) {
            DnsQuestion question = query.recordAt(DnsSection.QUESTION);
            Zone zone = zones.get(question.name());
            if (zone != null && zone.chained > 0 && question.type().equals(DnsRecordType.A)) {
                asked.add("tcp A " + question.name());
                context.writeAndFlush(chained(context, query.id(), question.name(), zone.chained));
                return;
            }
            DnsResponse response = new DefaultDnsResponse(query.id());
            if (answer(query, response, false) == null) {
                response.release();
            } else {
                context.writeAndFlush(response);
            }
        }

        private ByteBuf chained(ChannelHandlerContext context, int id, String name, int addresses) {
            ByteBuf out = context.alloc().buffer();
            out.writeShort(0)
                    .writeShort(id)
                    .writeShort(0x8180)
                    .writeShort(1)
                    .writeShort(addresses)
                    .writeInt(0);
            for (String label : name.substring(0, name.length() - 1).split("\\.", -1)) {
                out.writeByte(label.length());
                out.writeCharSequence(label, StandardCharsets.US_ASCII);
            }
            out.writeByte(0).writeShort(DnsRecordType.A.intValue()).writeShort(DnsRecord.CLASS_IN);
            int before = HEADER;
            for (int i = 0; i < addresses; i++) {
                int here = out.writerIndex() - 2;
                out.writeShort(POINTER | before).writeShort(DnsRecordType.A.intValue());
                out.writeShort(DnsRecord.CLASS_IN).writeInt(60).writeShort(4).writeInt(0x7F010000 + i);
                before = here < POINTER_END ? here : before;
            }
            return out.setShort(0, out.writerIndex() - 2);
        }
    }
}
