package dev.sallyport.core.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.Consumer;

/**
 * The beginning of a body that has left already, kept for as long as it may have to be sent once more. Holds little, and
 * nothing once the budget of all bodies is used up. Confined to one event loop.
 */
public final class ReplayBuffer {

    /** More than this is not kept: then the body cannot be sent again. */
    public static final int WINDOW = 64 * 1024;

    private final BodyAccount account;
    private final ByteQueue queue;
    private boolean whole = true;

    /** One that has kept nothing of a body of which nothing has left. */
    public ReplayBuffer(ByteBufAllocator allocator, BodyBudget budget) {
        this.account = new BodyAccount(budget);
        this.queue = new ByteQueue(allocator, account);
    }

    /** These bytes leave now; the buffer stays the caller's. */
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

    /** Whether all that has left is here. */
    public boolean isWhole() {
        return whole;
    }

    /** Hands everything over, in order. */
    public void drainTo(Consumer<ByteBuf> receiver) {
        while (!queue.isEmpty()) {
            receiver.accept(queue.poll());
        }
    }

    /** Frees what is kept: from now on the body cannot be sent again. Idempotent. */
    public void drop() {
        whole = false;
        queue.clear();
    }
}
