package dev.sallyport.core.net;

import dev.sallyport.core.tls.TlsFailure;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Remembers the alert that a client sends in the clear during a TLS 1.3 handshake. OpenSSL, and with it curl and
 * Python, refuses the certificate before it activates its keys. The JDK's TLS sees a record too short to decrypt and
 * reports nothing else.
 */
final class PlaintextAlertDetector extends ChannelInboundHandlerAdapter {

    private static final int RECORD = 7;
    private static final long LAST = (1L << (8 * RECORD)) - 1;
    private static final int ALERT = 21;
    private static final int MAJOR = 3;
    private static final int LENGTH = 2;

    /** The last received bytes; the newest is the lowest. */
    private long last;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            for (int i = Math.max(bytes.readerIndex(), bytes.writerIndex() - RECORD); i < bytes.writerIndex(); i++) {
                last = (last << 8 | bytes.getUnsignedByte(i)) & LAST;
            }
        }
        ctx.fireChannelRead(message);
    }

    /** The name of the alert that ends the received bytes; empty if none does. */
    String name() {
        boolean alert = last >>> 48 == ALERT && (last >>> 40 & 0xff) == MAJOR && (last >>> 16 & 0xffff) == LENGTH;
        return alert ? TlsFailure.alertName((int) (last & 0xff)) : "";
    }
}
