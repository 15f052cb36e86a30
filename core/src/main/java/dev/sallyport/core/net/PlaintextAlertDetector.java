package dev.sallyport.core.net;

import dev.sallyport.core.tls.TlsFailure;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Remembers the alert that a client sends in the clear while TLS 1.3 is agreed on. OpenSSL does so, and with it curl
 * and Python: it refuses the certificate before it has taken its keys into use. The JDK's TLS sees a record too short
 * to decrypt and reports nothing else.
 */
final class PlaintextAlertDetector extends ChannelInboundHandlerAdapter {

    private static final int RECORD = 7;
    private static final long LAST = (1L << (8 * RECORD)) - 1;
    private static final int ALERT = 21;
    private static final int MAJOR = 3;
    private static final int LENGTH = 2;

    /** The last bytes that have come, the newest lowest. */
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

    /** The name of the alert with which what has come ends; empty when it does not. */
    String name() {
        boolean alert = last >>> 48 == ALERT && (last >>> 40 & 0xff) == MAJOR && (last >>> 16 & 0xffff) == LENGTH;
        return alert ? TlsFailure.alertName((int) (last & 0xff)) : "";
    }
}
