package dev.sallyport.core.websocket;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.BodyRewriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the text messages of one direction apart, has them rewritten whole, and sends each on in one frame. Control
 * frames and plain binary frames go on as they are, compressed binary messages under a compression of their own, because
 * they share its context with the text. What breaks the protocol ends here: it could not be read for sure.
 */
public final class Messages implements Transit {

    /** What becomes of the payload that is arriving. */
    private enum Mode {
        HEAD,
        /** It goes on as it is. */
        RAW,
        /** It is collected. */
        TEXT,
        /** It goes on under another compression. */
        BINARY
    }

    private final ByteBufAllocator allocator;
    private final boolean fromClient;
    private final Rewriters rewriters;
    private final BodyBudget budget;
    private final long limit;
    private final @Nullable Codec codec;

    private final FrameHead head = new FrameHead();
    private final Bytes message = new Bytes();
    private final Bytes recoded = new Bytes();
    private Mode mode = Mode.HEAD;

    /** Of the data message that is under way, between its frames too; HEAD for none. */
    private Mode messageMode = Mode.HEAD;

    private boolean compressed;
    private boolean fragmentSent;
    private long remaining;
    private long counted;
    private boolean sawClose;
    private boolean closed;

    /**
     * Makes one for a direction.
     *
     * @param response the origin's 101 head, which says what compression was agreed upon
     * @param limit longest text message
     * @throws MessageFault when an extension was agreed upon that is not understood
     */
    public Messages(
            ByteBufAllocator allocator,
            boolean fromClient,
            List<Supplier<BodyRewriter>> rewriters,
            HeaderBlock response,
            BodyBudget budget,
            long limit)
            throws MessageFault {
        this.allocator = allocator;
        this.fromClient = fromClient;
        this.rewriters = new Rewriters(rewriters);
        this.budget = budget;
        this.limit = limit;
        Deflation agreed = Extensions.agreed(response);
        if (agreed == null) {
            codec = null;
        } else if (fromClient) {
            codec = new Codec(agreed.clientTakeover(), agreed.clientBits());
        } else {
            codec = new Codec(agreed.serverTakeover(), agreed.serverBits());
        }
    }

    @Override
    public void pass(ByteBuf in, Consumer<ByteBuf> out) throws MessageFault {
        try {
            while (in.isReadable() && !closed) {
                if (mode != Mode.HEAD) {
                    payload(in, out);
                } else if (head.take(in.readByte())) {
                    begin(out);
                }
            }
        } finally {
            in.release();
        }
    }

    private void begin(Consumer<ByteBuf> out) throws MessageFault {
        check();
        remaining = head.length();
        if (head.control()) {
            mode = Mode.RAW;
        } else {
            if (head.opcode() != FrameHead.CONTINUATION) {
                compressed = head.rsv1();
                fragmentSent = false;
                messageMode = head.opcode() == FrameHead.TEXT ? Mode.TEXT : compressed ? Mode.BINARY : Mode.RAW;
            }
            mode = messageMode;
        }
        if (mode == Mode.RAW) {
            ByteBuf again = allocator.buffer(16);
            FrameWriter.head(again, head.first(), remaining, head.masked(), head.mask());
            out.accept(again);
        }
        if (remaining == 0) {
            end(out);
        }
    }

    private void check() throws MessageFault {
        boolean first = head.opcode() == FrameHead.TEXT || head.opcode() == FrameHead.BINARY;
        if (head.otherBits() || (head.rsv1() && (codec == null || !first))) {
            throw MessageFault.protocol("a reserved bit in the head of a frame");
        }
        if (head.masked() != fromClient) {
            throw MessageFault.protocol(fromClient ? "a frame of the client without a mask" : "a masked frame");
        }
        if (head.length() < 0 || head.wasteful()) {
            throw MessageFault.protocol("a length that is not in its shortest form");
        }
        if (head.control()) {
            if (head.opcode() > 10 || !head.fin() || head.length() > 125) {
                throw MessageFault.protocol("a control frame that is unknown, in fragments, or too long");
            }
        } else if (head.opcode() > FrameHead.BINARY || (messageMode == Mode.HEAD) != first) {
            throw MessageFault.protocol("a data frame that is unknown or out of order");
        }
    }

    private void payload(ByteBuf in, Consumer<ByteBuf> out) throws MessageFault {
        int length = (int) Math.min(remaining, in.readableBytes());
        if (mode == Mode.RAW) {
            out.accept(in.readRetainedSlice(length));
        } else {
            byte[] bytes = new byte[length];
            in.readBytes(bytes);
            FrameWriter.unmask(bytes, length, head.mask(), head.length() - remaining);
            data(bytes, out);
        }
        remaining -= length;
        if (remaining == 0) {
            end(out);
        }
    }

    private void data(byte[] bytes, Consumer<ByteBuf> out) throws MessageFault {
        if (codec != null && compressed) {
            codec.inflate(bytes, bytes.length, message, () -> more(out));
        } else {
            message.add(bytes, 0, bytes.length);
            more(out);
        }
    }

    /** The message has grown: text is counted, binary data goes on. */
    private void more(Consumer<ByteBuf> out) throws MessageFault {
        if (mode == Mode.BINARY) {
            fragment(false, out);
            return;
        }
        if (message.size() > limit) {
            throw new MessageFault(1009, "message_too_large: a text message is longer than " + limit + " bytes");
        }
        boolean room = budget.take(message.size() - counted);
        counted = message.size();
        if (!room) {
            throw new MessageFault(1013, "overloaded: too many bytes are buffered");
        }
    }

    private void end(Consumer<ByteBuf> out) throws MessageFault {
        mode = Mode.HEAD;
        if (head.control()) {
            sawClose |= head.opcode() == FrameHead.CLOSE;
            return;
        }
        if (!head.fin()) {
            return;
        }
        Mode ended = messageMode;
        if (ended != Mode.RAW && codec != null && compressed) {
            mode = ended;
            codec.endInflate(message, () -> more(out));
            mode = Mode.HEAD;
        }
        messageMode = Mode.HEAD;
        if (ended == Mode.TEXT) {
            text(out);
        } else if (ended == Mode.BINARY) {
            fragment(true, out);
        }
    }

    private void text(Consumer<ByteBuf> out) throws MessageFault {
        Bytes rewritten = rewriters.apply(message);
        boolean again = codec != null && compressed && codec.compresses();
        Bytes payload = again ? recode(rewritten, true) : rewritten;
        int first = FrameHead.FIN | FrameHead.TEXT | (again ? FrameHead.RSV1 : 0);
        ByteBuf frame = FrameWriter.frame(allocator, first, fromClient, payload.array(), payload.size());
        message.clear();
        settle();
        out.accept(frame);
    }

    private void fragment(boolean last, Consumer<ByteBuf> out) {
        boolean again = codec != null && codec.compresses();
        Bytes payload = again ? recode(message, last) : message;
        if (payload.size() > 0 || last) {
            int opcode = fragmentSent ? FrameHead.CONTINUATION : FrameHead.BINARY | (again ? FrameHead.RSV1 : 0);
            int first = opcode | (last ? FrameHead.FIN : 0);
            fragmentSent = true;
            out.accept(FrameWriter.frame(allocator, first, fromClient, payload.array(), payload.size()));
        }
        message.clear();
    }

    private Bytes recode(Bytes plain, boolean last) {
        recoded.clear();
        if (codec != null) {
            codec.deflate(plain.array(), plain.size(), last, recoded);
        }
        return recoded;
    }

    private void settle() {
        budget.give(counted);
        counted = 0;
    }

    @Override
    public boolean sawClose() {
        return sawClose;
    }

    @Override
    public boolean betweenFrames() {
        return mode != Mode.RAW;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            settle();
            if (codec != null) {
                codec.close();
            }
        }
    }
}
