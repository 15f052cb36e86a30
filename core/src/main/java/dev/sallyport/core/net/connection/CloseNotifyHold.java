package dev.sallyport.core.net.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client's {@code close_notify} from the TLS engine while an answer is owed. Under TLS 1.3 the alert closes one
 * half only (RFC 8446, 6.1), while the engines close both on reading it. Stands in front of TLS.
 *
 * <p>An alert cannot be told from a few bytes of application data: a small record is kept, and passed on as soon as anything
 * follows it (after a {@code close_notify} nothing does) or nothing is owed any more. A request in it would have had to wait
 * for the answer as well. Everything else passes at once, in the same buffers. Confined to the channel's loop.
 */
public final class CloseNotifyHold extends ChannelInboundHandlerAdapter {

    /** Type, version and length. */
    private static final int HEADER = 5;

    /** Where the length is, of two bytes. */
    private static final int LENGTH = 3;

    private static final int APPLICATION_DATA = 23;

    /**
     * The most that the record of an alert may hold: level and description, the inner type, the tag of the cipher, and padding
     * (RFC 8446, 5.2 and 5.4), of which the JDK adds 16 bytes.
     */
    private static final int ALERT = 64;

    /** How much there is of the header of the current record, which says its type and length. */
    private int headerBytes;

    private int type;
    private int length;

    /** What is still to come of the current record behind its header. */
    private int left;

    private BooleanSupplier owed = () -> false;
    private @Nullable ByteBuf held;

    /** What is still to come of the held record. */
    private int missing;

    private @Nullable ChannelHandlerContext context;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** From now on records are held while {@code answer} is owed, or may be; asked on the loop. */
    public void whileOwed(BooleanSupplier answer) {
        owed = answer;
    }

    /** Whether a record is held. */
    public boolean isHolding() {
        return held != null;
    }

    /** Passes on what is held, if nothing is owed any more. */
    public void settle() {
        ChannelHandlerContext ctx = context;
        if (held != null && ctx != null && !owed.getAsBoolean()) {
            release(ctx);
            ctx.fireChannelReadComplete();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            ctx.fireChannelRead(message);
            return;
        }
        if (held != null && bytes.readableBytes() > missing) {
            release(ctx);
        }
        ByteBuf before = held;
        if (before == null) {
            scan(ctx, bytes);
            return;
        }
        missing -= bytes.readableBytes();
        held = ctx.alloc()
                .buffer(before.readableBytes() + bytes.readableBytes())
                .writeBytes(before)
                .writeBytes(bytes);
        before.release();
        bytes.release();
    }

    /** Passes the records on, up to one that is held. */
    private void scan(ChannelHandlerContext ctx, ByteBuf bytes) {
        int at = bytes.readerIndex();
        while (at < bytes.writerIndex()) {
            if (left > 0) {
                int skipped = Math.min(left, bytes.writerIndex() - at);
                left -= skipped;
                at += skipped;
                continue;
            }
            int begin = at;
            at = header(bytes, at);
            if (headerBytes < HEADER) {
                break;
            }
            headerBytes = 0;
            left = length;
            if (type != APPLICATION_DATA || left > ALERT || bytes.writerIndex() - at > left) {
                continue;
            }
            if (begin > bytes.readerIndex()) {
                ctx.fireChannelRead(bytes.readRetainedSlice(begin - bytes.readerIndex()));
            }
            if (owed.getAsBoolean()) {
                missing = left - (bytes.writerIndex() - at);
                left = 0;
                held = bytes;
                return;
            }
        }
        if (bytes.isReadable()) {
            ctx.fireChannelRead(bytes);
        } else {
            bytes.release();
        }
    }

    /** Reads on in a header, which is nearly always whole, and returns where. */
    private int header(ByteBuf bytes, int from) {
        if (headerBytes == 0 && bytes.writerIndex() - from >= HEADER) {
            type = bytes.getByte(from);
            length = bytes.getUnsignedShort(from + LENGTH);
            headerBytes = HEADER;
            return from + HEADER;
        }
        int at = from;
        while (headerBytes < HEADER && at < bytes.writerIndex()) {
            byte next = bytes.getByte(at);
            at++;
            if (headerBytes == 0) {
                type = next;
            } else if (headerBytes >= LENGTH) {
                length = (length << 8 | (next & 0xff)) & 0xffff;
            }
            headerBytes++;
        }
        return at;
    }

    private void release(ChannelHandlerContext ctx) {
        ByteBuf record = held;
        if (record != null) {
            held = null;
            left = missing;
            ctx.fireChannelRead(record);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        drop();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        drop();
    }

    private void drop() {
        ReferenceCountUtil.release(held);
        held = null;
    }
}
