package dev.sallyport.core.body;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.spi.BodyCheck;
import dev.sallyport.toolkit.coding.CodingException;
import dev.sallyport.toolkit.coding.Decoder;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a plug-in's check: shows it the passing bytes, as they are or decoded, and forwards them untouched. A receiver
 * that knows the length considers a message complete at its last byte, so the buffer with that byte waits until the
 * check has accepted the whole.
 */
final class CheckLink extends ChainLink {

    private final BodyAccount account;
    private final BodyCheck check;
    private final int position;
    private final long length;
    private final @Nullable Decoder decoder;
    private long seen;

    /** The buffer with the last byte. */
    private @Nullable ByteBuf last;

    /**
     * @param length how many bytes will come, or -1
     * @param decoder removes the content coding for the check; null shows the bytes as they are. Owned by this
     */
    CheckLink(
            BodyAccount account,
            ChainOutput next,
            BodyCheck check,
            int position,
            long length,
            @Nullable Decoder decoder) {
        super(next);
        this.account = account;
        this.check = check;
        this.position = position;
        this.length = length;
        this.decoder = decoder;
    }

    @Override
    public void write(ByteBuf in) {
        if (!in.isReadable()) {
            in.release();
            return;
        }
        boolean agreed = false;
        try {
            if (length >= 0 && in.readableBytes() > length - seen) {
                throw new BodyException(Kind.STAGE_FAILED, position, "check: more bytes than were announced");
            }
            ByteQueue.views(in, this::show);
            agreed = true;
        } catch (Throwable e) {
            throw failure(e);
        } finally {
            if (!agreed) {
                in.release();
            }
        }
        seen += in.readableBytes();
        if (seen == length) {
            hold(in);
        } else {
            next().write(in);
        }
    }

    private void show(ByteBuffer view) {
        if (decoder == null) {
            check.data(view);
        } else {
            decoder.write(view, bytes -> check.data(bytes.asReadOnlyBuffer()));
        }
    }

    private BodyException failure(Throwable cause) {
        return decoder != null && cause instanceof CodingException coding
                ? BodyException.coding(position, coding)
                : BodyException.stage(position, "check", cause);
    }

    @Override
    public void end() {
        try {
            if (decoder != null) {
                decoder.end(bytes -> check.data(bytes.asReadOnlyBuffer()));
            }
            check.end();
        } catch (Throwable e) {
            throw failure(e);
        }
        ByteBuf held = takeLast();
        if (held != null) {
            next().write(held);
        }
        next().end();
    }

    private void hold(ByteBuf in) {
        last = in;
        account.take(in.readableBytes());
    }

    private @Nullable ByteBuf takeLast() {
        ByteBuf held = last;
        if (held != null) {
            last = null;
            account.give(held.readableBytes());
        }
        return held;
    }

    @Override
    void close() {
        if (decoder != null) {
            decoder.close();
        }
        ByteBuf held = takeLast();
        if (held != null) {
            held.release();
        }
    }
}
