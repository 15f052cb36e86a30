package dev.sallyport.core.websocket;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Parses the messages of one direction. Text messages are rewritten whole, and each is sent in one frame. If a
 * transform has asked for the others, too, binary messages are rewritten as they stream, and control frames one by one,
 * at their place; otherwise they pass unchanged, except that compressed binary messages are recompressed, because they
 * share the compression context with text. Violations of the protocol end here, since they could be read in more than
 * one way. What is held, being made, or made and not yet taken by the receiver counts against the budget.
 */
public final class MessageFilter implements FrameFilter {

    /** What happens to the payload that is arriving. */
    private enum Mode {
        HEAD,
        /** It passes unchanged. */
        RAW,
        /** It is collected. */
        TEXT,
        /** It passes rewritten, or recompressed. */
        BINARY,
        /** It is collected, possibly between the frames of a message. */
        CONTROL
    }

    private static final int LONGEST_CONTROL = 125;
    private static final int CODE = 2;

    private final ByteBufAllocator allocator;
    private final ShortParts parts;
    private final boolean fromClient;
    private final List<Supplier<BodyRewriter>> texts;
    private final List<Supplier<BodyRewriter>> others;
    private final BodyBudget budget;
    private final long limit;
    private final @Nullable MessageCompression codec;

    private final FrameHeaderReader head = new FrameHeaderReader();
    private final ByteAccumulator message = new ByteAccumulator();
    private final ByteAccumulator recoded = new ByteAccumulator();
    private final ByteAccumulator control = new ByteAccumulator();
    private @Nullable MessageRewriters binary;
    private Mode mode = Mode.HEAD;

    /** The mode of the data message in progress, also between its frames; HEAD for none. */
    private Mode messageMode = Mode.HEAD;

    private boolean compressed;
    private boolean fragmentSent;
    private long remaining;
    /** What the message that is held takes of the budget. */
    private long counted;
    /** All that is taken from the budget. */
    private long charged;
    /** What has passed and was not yet taken by the receiver. */
    private long unsent;

    private boolean paused;
    private boolean sawClose;
    private boolean closed;

    /**
     * Creates a filter for one direction.
     *
     * @param response the origin's 101 head, which states the agreed compression
     * @param edits the rewriters, in their order
     * @param limit the longest text message, before and after it is rewritten
     * @throws MessageException when an unknown extension was agreed
     */
    public MessageFilter(
            ByteBufAllocator allocator,
            Direction direction,
            List<Edit.RewriteMessages> edits,
            HeaderBlock response,
            BodyBudget budget,
            long limit)
            throws MessageException {
        this.allocator = allocator;
        this.parts = new ShortParts(allocator);
        this.fromClient = direction == Direction.REQUEST;
        this.texts = edits.stream().map(Edit.RewriteMessages::rewriters).toList();
        this.others = edits.stream()
                .map(Edit.RewriteMessages::others)
                .filter(Objects::nonNull)
                .toList();
        this.budget = budget;
        this.limit = limit;
        PerMessageDeflate agreed = WebSocketExtensions.agreed(response);
        if (agreed == null) {
            codec = null;
        } else if (fromClient) {
            codec = new MessageCompression(agreed.clientTakeover(), agreed.clientBits());
        } else {
            codec = new MessageCompression(agreed.serverTakeover(), agreed.serverBits());
        }
    }

    /** As {@link #MessageFilter(ByteBufAllocator, Direction, List, HeaderBlock, BodyBudget, long)}. */
    public MessageFilter(
            ByteBufAllocator allocator,
            boolean fromClient,
            List<Edit.RewriteMessages> edits,
            HeaderBlock response,
            BodyBudget budget,
            long limit)
            throws MessageException {
        this(allocator, fromClient ? Direction.REQUEST : Direction.RESPONSE, edits, response, budget, limit);
    }

    @Override
    public @Nullable ByteBuf pass(ByteBuf in, Consumer<ByteBuf> out) throws MessageException {
        boolean whole = false;
        parts.to(out);
        try {
            paused = false;
            while (in.isReadable() && !closed && !paused) {
                if (mode != Mode.HEAD) {
                    payload(in, parts);
                } else if (head.take(in.readByte())) {
                    begin(parts);
                }
            }
            parts.finish();
            whole = in.isReadable() && !closed;
            return whole ? in : null;
        } finally {
            if (!whole) {
                in.release();
            }
            parts.finish(); // before a fault
        }
    }

    private void begin(Consumer<ByteBuf> out) throws MessageException {
        check();
        remaining = head.length();
        if (head.control()) {
            mode = others.isEmpty() ? Mode.RAW : Mode.CONTROL;
        } else {
            if (head.opcode() != FrameHeaderReader.CONTINUATION) {
                compressed = head.rsv1();
                fragmentSent = false;
                messageMode = kind();
                binary = messageMode == Mode.BINARY ? new MessageRewriters(others, this::grow) : null;
            }
            mode = messageMode;
        }
        if (mode == Mode.RAW) {
            ByteBuf again = allocator.buffer(16);
            WebSocketFrameWriter.head(again, head.first(), remaining, head.masked(), head.mask());
            out.accept(again);
        }
        if (remaining == 0) {
            end(out);
        }
    }

    private Mode kind() {
        if (head.opcode() == FrameHeaderReader.TEXT) {
            return Mode.TEXT;
        }
        return compressed || !others.isEmpty() ? Mode.BINARY : Mode.RAW;
    }

    private void check() throws MessageException {
        boolean first = head.opcode() == FrameHeaderReader.TEXT || head.opcode() == FrameHeaderReader.BINARY;
        if (head.otherBits() || (head.rsv1() && (codec == null || !first))) {
            throw MessageException.protocol("a reserved bit in the head of a frame");
        }
        if (head.masked() != fromClient) {
            throw MessageException.protocol(fromClient ? "a frame of the client without a mask" : "a masked frame");
        }
        if (head.length() < 0 || head.wasteful()) {
            throw MessageException.protocol("a length that is not in its shortest form");
        }
        if (head.control()) {
            if (head.opcode() > 10 || !head.fin() || head.length() > LONGEST_CONTROL) {
                throw MessageException.protocol("a control frame that is unknown, in fragments, or too long");
            }
        } else if (head.opcode() > FrameHeaderReader.BINARY || (messageMode == Mode.HEAD) != first) {
            throw MessageException.protocol("a data frame that is unknown or out of order");
        }
    }

    private void payload(ByteBuf in, Consumer<ByteBuf> out) throws MessageException {
        int length = (int) Math.min(remaining, in.readableBytes());
        if (mode == Mode.RAW) {
            out.accept(in.readRetainedSlice(length));
        } else {
            byte[] bytes = new byte[length];
            in.readBytes(bytes);
            WebSocketFrameWriter.unmask(bytes, length, head.mask(), head.length() - remaining);
            data(bytes, out);
        }
        remaining -= length;
        if (remaining == 0) {
            end(out);
        }
    }

    private void data(byte[] bytes, Consumer<ByteBuf> out) throws MessageException {
        if (mode == Mode.CONTROL) {
            control.add(bytes, 0, bytes.length);
        } else if (codec != null && compressed) {
            codec.inflate(bytes, bytes.length, message, () -> more(out));
        } else {
            message.add(bytes, 0, bytes.length);
            more(out);
        }
    }

    /** More of the message has arrived: text is counted, binary data passes. */
    private void more(Consumer<ByteBuf> out) throws MessageException {
        if (mode == Mode.BINARY) {
            fragment(false, out);
            return;
        }
        if (message.size() > limit) {
            throw new MessageException(1009, "message_too_large: a text message is longer than " + limit + " bytes");
        }
        long more = message.size() - counted;
        counted = message.size();
        charge(more);
    }

    /** A rewriter is about to append some bytes to others. */
    private void grow(int bytes, int size) throws MessageException {
        if ((long) size + bytes > limit) {
            throw new MessageException(
                    1009,
                    "message_too_large: a message would become longer than " + limit + " bytes when it is rewritten");
        }
        charge(bytes);
    }

    private void charge(long bytes) throws MessageException {
        charged += bytes;
        if (!budget.take(bytes)) {
            throw new MessageException(1013, "overloaded: too many bytes are buffered");
        }
    }

    private void end(Consumer<ByteBuf> out) throws MessageException {
        boolean collected = mode == Mode.CONTROL;
        mode = Mode.HEAD;
        if (head.control()) {
            if (collected) {
                control(out);
            }
            sawClose |= head.opcode() == FrameHeaderReader.CLOSE;
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

    private void text(Consumer<ByteBuf> out) throws MessageException {
        ByteAccumulator rewritten = new MessageRewriters(texts, this::grow).whole(message);
        boolean again = codec != null && compressed && codec.compresses();
        ByteAccumulator payload = again ? recode(rewritten, true) : rewritten;
        send(FrameHeaderReader.FIN | FrameHeaderReader.TEXT | (again ? FrameHeaderReader.RSV1 : 0), payload, out);
        message.clear();
    }

    private void fragment(boolean last, Consumer<ByteBuf> out) throws MessageException {
        boolean again = compressed && codec != null && codec.compresses();
        ByteAccumulator rewritten = binary == null ? message : binary.part(message, last);
        ByteAccumulator payload = again ? recode(rewritten, last) : rewritten;
        if (payload.size() > 0 || last) {
            int opcode = fragmentSent
                    ? FrameHeaderReader.CONTINUATION
                    : FrameHeaderReader.BINARY | (again ? FrameHeaderReader.RSV1 : 0);
            fragmentSent = true;
            send(opcode | (last ? FrameHeaderReader.FIN : 0), payload, out);
        }
        message.clear();
    }

    /** Handles a ping, a pong, or a close, whose first two bytes are a code. */
    private void control(Consumer<ByteBuf> out) throws MessageException {
        int fixed = head.opcode() == FrameHeaderReader.CLOSE ? Math.min(CODE, control.size()) : 0;
        ByteAccumulator words = new ByteAccumulator();
        words.add(control.array(), fixed, control.size() - fixed);
        ByteAccumulator rewritten = new MessageRewriters(others, this::grow).whole(words);
        if (fixed + rewritten.size() > LONGEST_CONTROL) {
            throw new MessageException(1011, "a transform made a control frame too long");
        }
        ByteAccumulator payload = new ByteAccumulator();
        payload.add(control.array(), 0, fixed);
        payload.add(rewritten.array(), 0, rewritten.size());
        control.clear();
        send(head.first(), payload, out);
    }

    private void send(int first, ByteAccumulator payload, Consumer<ByteBuf> out) throws MessageException {
        charge(payload.size());
        ByteBuf frame = WebSocketFrameWriter.frame(allocator, first, fromClient, payload.array(), payload.size());
        unsent += payload.size();
        // What is still held of a text message while a control frame passes between its fragments stays counted.
        counted = head.control() ? counted : 0;
        settle(counted + unsent);
        out.accept(frame);
        paused = !parts.isOpen();
    }

    private ByteAccumulator recode(ByteAccumulator plain, boolean last) {
        recoded.clear();
        if (codec != null) {
            codec.deflate(plain.array(), plain.size(), last, recoded);
        }
        return recoded;
    }

    /** Returns all but this many bytes to the budget. */
    private void settle(long held) {
        budget.give(charged - held);
        charged = held;
    }

    @Override
    public void taken() {
        if (unsent > 0) {
            unsent = 0;
            settle(counted);
        }
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
            settle(0);
            if (codec != null) {
                codec.close();
            }
        }
    }
}
