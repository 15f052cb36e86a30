package dev.sallyport.core.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** A stage that may make much of little: what it makes waits, and is passed on in steps, the end behind it. */
abstract class QueuedLink extends ChainLink {

    /** What was made and not yet passed on. */
    final ByteQueue made;

    private boolean ending;

    /** @param account counts what waits */
    QueuedLink(ByteBufAllocator allocator, ChainOutput next, BodyAccount account) {
        super(next);
        this.made = new ByteQueue(allocator, account);
    }

    /** Passes the end on behind what waits. */
    final void endBehind() {
        ending = true;
    }

    @Override
    final boolean busy() {
        return ending || !made.isEmpty();
    }

    @Override
    final int step() {
        if (!made.isEmpty()) {
            ByteBuf first = made.poll();
            int bytes = first.readableBytes();
            next().write(first);
            return bytes;
        }
        if (ending) {
            ending = false;
            next().end();
        }
        return 0;
    }

    /** Drops what waits. */
    final void drop() {
        made.clear();
        ending = false;
    }
}
