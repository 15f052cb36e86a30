package dev.sallyport.core.body;

import dev.sallyport.toolkit.coding.CodingException;
import dev.sallyport.toolkit.coding.Decoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Removes the content coding, for one or more rewriters. Until a byte has left the stages behind it, the coded bytes
 * are kept: if nothing is changed they are forwarded as received, unless the engine searches the body and its framing
 * holds text of its own. What a piece decodes to is passed on in steps.
 */
final class DecodeLink extends QueuedLink {

    private final Decoder decoder;
    private final int position;
    private final PooledOutput emitter;

    private @Nullable ByteQueue kept;

    /**
     * @param position the transform that needs the decoding
     * @param account counts what is kept and what waits
     */
    DecodeLink(ByteBufAllocator allocator, ChainOutput next, Decoder decoder, int position, BodyAccount account) {
        super(allocator, next, account);
        this.decoder = decoder;
        this.position = position;
        this.kept = new ByteQueue(allocator, account);
        this.emitter = new PooledOutput(allocator, made::add);
    }

    /** The coded bytes, or null when they have been discarded. */
    @Nullable ByteQueue kept() {
        return kept;
    }

    /** Discards the coded bytes. */
    void dropKept() {
        ByteQueue queue = kept;
        if (queue != null) {
            kept = null;
            queue.clear();
        }
    }

    @Override
    public void write(ByteBuf in) {
        try {
            ByteQueue queue = kept;
            if (queue != null) {
                queue.add(in.retainedSlice());
            }
            ByteQueue.views(in, view -> decoder.write(view, emitter));
        } catch (CodingException e) {
            throw BodyException.coding(position, e);
        } finally {
            in.release();
        }
        if (position == BodyFailure.NOBODY && decoder.hasFreeText()) {
            dropKept(); // what the engine searches is only the content
        }
        emitter.finish();
    }

    @Override
    public void end() {
        try {
            decoder.end(emitter);
        } catch (CodingException e) {
            throw BodyException.coding(position, e);
        }
        emitter.finish();
        endBehind();
    }

    @Override
    void close() {
        dropKept();
        drop();
        emitter.close();
        decoder.close();
    }
}
