package dev.sallyport.core.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.Consumer;

/**
 * The beginning of a body that has already been sent, kept as long as it may have to be sent again. Holds little, and
 * nothing once the budget of all bodies is used up. Confined to one event loop.
 */
public final class ReplayBuffer {

    /** The most bytes that are kept; a longer body cannot be sent again. */
    public static final int WINDOW = 64 * 1024;

    private final BodyAccount account;
    private final ByteQueue queue;
    private boolean whole = true;

    /** An empty buffer, for a body of which nothing has been sent. */
    public ReplayBuffer(ByteBufAllocator allocator, BodyBudget budget) {
        this.account = new BodyAccount(budget);
        this.queue = new ByteQueue(allocator, account);
    }

    /** Keeps bytes that are sent now; the caller keeps the buffer. */
    public void left(ByteBuf data) {
        if (!whole) {
            return;
        }
        if (queue.bytes() + data.readableBytes() > WINDOW) {
            drop();
            return;
        }
        queue.add(data.retainedDuplicate());
        if (account.exceeded()) {
            drop();
        }
    }

    /** These bytes will leave behind what is kept; takes ownership. The sender's credit bounds them, not the window. */
    public void queue(ByteBuf data) {
        queue.add(data);
    }

    /** Whether everything sent is kept. */
    public boolean isWhole() {
        return whole;
    }

    /** Hands everything over, in order. */
    public void drainTo(Consumer<ByteBuf> receiver) {
        while (!queue.isEmpty()) {
            receiver.accept(queue.poll());
        }
    }

    /** Frees the kept bytes: from now on the body cannot be sent again. Idempotent. */
    public void drop() {
        whole = false;
        queue.clear();
    }
}
