package dev.sallyport.control.sandbox;

import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import jdk.net.ExtendedSocketOptions;

/**
 * How the system finds out that the other side of a silent connection has vanished without a word (RFC 9293, 3.8.4): the
 * connection then ends with an error. A connection on which something is still to be acknowledged ends by retransmission
 * instead, as long as that takes.
 *
 * @param idle seconds of silence until it asks
 * @param interval seconds between questions
 * @param probes how many questions without an answer are the end
 */
record Keepalive(int idle, int interval, int probes) {

    /**
     * Two minutes. A virtual machine that stands still for a snapshot answers nothing for up to 65 seconds, and is not gone:
     * from the first question to the end it is 90.
     */
    static final Keepalive USUAL = new Keepalive(30, 15, 6);

    /** Has this connection watched from now on, or from when it is there. */
    void watch(SocketChannel channel) {
        channel.config().setKeepAlive(true);
        channel.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), idle);
        channel.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), interval);
        channel.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), probes);
    }
}
