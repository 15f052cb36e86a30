package dev.sallyport.core.body;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.toolkit.coding.CodingException;
import dev.sallyport.toolkit.coding.Decoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses the messages of a call: a compressed message is written uncompressed, which every receiver accepts
 * ("Compressed-Flag" of the protocol gRPC over HTTP/2; Connect has the same). Since the length precedes the message, the
 * inflated content is held until its end, counted against the budget; all other messages stream through.
 */
final class MessageInflateLink extends QueuedLink {

    /** The flag, and the length in four bytes, the highest first. */
    private static final int PREFIX = 1 + Integer.BYTES;

    private static final int COMPRESSED = 1;

    /** The largest length that four bytes can express. */
    private static final long LONGEST = 0xffff_ffffL;

    private final ByteBufAllocator allocator;
    private final BodyAccount account;
    private final Supplier<Decoder> decoders;
    private final PooledOutput emitter;
    private final ArrayDeque<ByteBuf> inflated = new ArrayDeque<>(4);
    private final byte[] prefix = new byte[PREFIX];
    private int prefixLength;

    /** How much of the current message has not arrived yet. */
    private long missing;
    /** The decoder of the current message; null if that is not compressed. */
    private @Nullable Decoder decoder;

    private long reserved;

    /** @param decoders makes a decoder for each message, which limits its inflated size */
    MessageInflateLink(ByteBufAllocator allocator, BodyAccount account, ChainOutput next, Supplier<Decoder> decoders) {
        super(allocator, next, account);
        this.allocator = allocator;
        this.account = account;
        this.decoders = decoders;
        this.emitter = new PooledOutput(allocator, inflated::add, this::reserve);
    }

    private void reserve(int bytes) {
        account.reserve(bytes, BodyFailure.NOBODY);
        reserved += bytes;
    }

    @Override
    public void write(ByteBuf in) {
        try {
            while (in.isReadable()) {
                if (prefixLength < PREFIX) {
                    readPrefix(in);
                } else {
                    readContent(in);
                }
            }
        } catch (CodingException e) {
            throw BodyException.coding(BodyFailure.NOBODY, e);
        } finally {
            in.release();
        }
    }

    private void readPrefix(ByteBuf in) {
        int length = Math.min(PREFIX - prefixLength, in.readableBytes());
        in.readBytes(prefix, prefixLength, length);
        prefixLength += length;
        if (prefixLength < PREFIX) {
            return;
        }
        missing = Integer.toUnsignedLong(ByteBuffer.wrap(prefix).getInt(1));
        if ((prefix[0] & COMPRESSED) == 0) {
            made.add(allocator.buffer(PREFIX, PREFIX).writeBytes(prefix));
        } else {
            decoder = decoders.get();
        }
        finishMessage();
    }

    private void readContent(ByteBuf in) {
        int length = (int) Math.min(missing, in.readableBytes());
        missing -= length;
        Decoder inflater = decoder;
        if (inflater == null) {
            made.add(in.readRetainedSlice(length));
        } else {
            ByteQueue.views(in.readSlice(length), view -> inflater.write(view, emitter));
        }
        finishMessage();
    }

    private void finishMessage() {
        if (missing > 0) {
            return;
        }
        prefixLength = 0;
        Decoder inflater = decoder;
        if (inflater == null) {
            return;
        }
        inflater.end(emitter);
        inflater.close();
        decoder = null;
        emitter.finish();
        long length = inflated.stream().mapToLong(ByteBuf::readableBytes).sum();
        if (length > LONGEST) {
            throw new BodyException(
                    Kind.TOO_LARGE, BodyFailure.NOBODY, "a message inflates to more than its length can say");
        }
        account.give(reserved);
        reserved = 0;
        made.add(allocator
                .buffer(PREFIX, PREFIX)
                .writeByte(prefix[0] & ~COMPRESSED)
                .writeInt((int) length));
        for (ByteBuf buffer = inflated.poll(); buffer != null; buffer = inflated.poll()) {
            made.add(buffer);
        }
    }

    @Override
    public void end() {
        if (decoder != null) {
            throw new BodyException(
                    Kind.CORRUPT_CODING, BodyFailure.NOBODY, "a compressed message ends before its length");
        }
        if (prefixLength > 0 && prefixLength < PREFIX) {
            made.add(allocator.buffer(PREFIX, PREFIX).writeBytes(prefix, 0, prefixLength));
        }
        endBehind();
    }

    @Override
    void close() {
        Decoder inflater = decoder;
        if (inflater != null) {
            decoder = null;
            inflater.close();
        }
        emitter.close();
        drop();
        for (ByteBuf buffer = inflated.poll(); buffer != null; buffer = inflated.poll()) {
            buffer.release();
        }
        account.give(reserved);
        reserved = 0;
    }
}
