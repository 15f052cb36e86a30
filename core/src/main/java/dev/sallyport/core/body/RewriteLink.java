package dev.sallyport.core.body;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.spi.BodyRewriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs a plug-in's rewriter. Its output is collected while it runs and passed on afterwards, so that its exceptions and
 * those of later stages do not meet.
 */
final class RewriteLink extends ChainLink implements BodyRewriter.Sink {

    /** So much may be made of one buffer before it is charged; as much as it may hold itself. */
    private static final long UNCHARGED = 64 * 1024;

    /** What is forwarded of a buffer in so few bytes is copied: each part of its own costs everybody behind more. */
    private static final int COPIED = 256;

    private final BodyRewriter rewriter;
    private final int position;
    private final long promised;
    private final ArrayDeque<ByteBuf> output = new ArrayDeque<>(4);
    private final PooledOutput emitter;
    private final BodyAccount account;
    private long written;

    /** The bytes produced from the current buffer, and how many of them have been charged. */
    private long made;

    private long charged;

    /** The buffer that is being rewritten, and where the view that the rewriter got begins in it. */
    private @Nullable ByteBuf current;

    private int base;
    private int viewLength;

    RewriteLink(
            ByteBufAllocator allocator,
            BodyAccount account,
            ChainOutput next,
            BodyRewriter rewriter,
            int position,
            long inputLength) {
        super(next);
        this.rewriter = rewriter;
        this.position = position;
        this.account = account;
        this.emitter = new PooledOutput(allocator, output::add, this::make);
        this.promised = promise(inputLength);
    }

    private long promise(long inputLength) {
        try {
            OptionalLong in = inputLength < 0 ? OptionalLong.empty() : OptionalLong.of(inputLength);
            return rewriter.length(in).orElse(-1);
        } catch (Throwable e) {
            throw BodyException.stage(position, "rewriter", e);
        }
    }

    /** How many bytes it will write, or -1. */
    long promised() {
        return promised;
    }

    boolean changed() {
        try {
            return rewriter.changed();
        } catch (Throwable e) {
            throw BodyException.stage(position, "rewriter", e);
        }
    }

    @Override
    public void write(ByteBuf in) {
        try {
            current = in;
            base = in.readerIndex();
            ByteQueue.views(in, view -> {
                viewLength = view.remaining();
                rewriter.write(view, this);
                base += viewLength;
            });
        } catch (Throwable e) {
            throw BodyException.stage(position, "rewriter", e);
        } finally {
            current = null;
            in.release();
        }
        passOn();
    }

    @Override
    public void end() {
        try {
            rewriter.end(this);
        } catch (Throwable e) {
            throw BodyException.stage(position, "rewriter", e);
        }
        passOn();
        if (promised >= 0 && written != promised) {
            throw brokenPromise();
        }
        next().end();
    }

    /** More is to be made: what one buffer may become without being asked for is bounded. */
    private void make(int bytes) {
        made += bytes;
        if (made > UNCHARGED) {
            account.reserve(bytes, position);
            charged += bytes;
        }
    }

    /** What is passed on is for those to charge who keep it. */
    private void settle(long bytes) {
        long part = Math.min(bytes, charged);
        if (part > 0) {
            charged -= part;
            account.give(part);
        }
    }

    private void passOn() {
        emitter.finish();
        for (ByteBuf buffer = output.poll(); buffer != null; buffer = output.poll()) {
            written += buffer.readableBytes();
            if (promised >= 0 && written > promised) {
                buffer.release();
                throw brokenPromise();
            }
            settle(buffer.capacity());
            next().write(buffer);
        }
        made = 0;
    }

    private BodyException brokenPromise() {
        return new BodyException(Kind.STAGE_FAILED, position, "rewriter: another length than it promised");
    }

    @Override
    public void write(ByteBuffer bytes) {
        emitter.write(bytes);
    }

    @Override
    public void forward(int index, int length) {
        ByteBuf in = current;
        if (in == null) {
            throw new IllegalStateException("forward: no buffer is being rewritten (expected: a call inside write)");
        }
        if (length == 0) {
            return;
        }
        if (index < 0 || length < 0 || index > viewLength - length) {
            throw new IndexOutOfBoundsException("forward: outside of the buffer");
        }
        if (length <= COPIED) {
            emitter.copy(in, base + index, length);
        } else {
            emitter.finish();
            output.add(in.retainedSlice(base + index, length));
        }
    }

    @Override
    void close() {
        emitter.close();
        settle(charged);
        for (ByteBuf buffer = output.poll(); buffer != null; buffer = output.poll()) {
            buffer.release();
        }
    }
}
