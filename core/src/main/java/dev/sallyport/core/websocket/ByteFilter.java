package dev.sallyport.core.websocket;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Edit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes bytes of which nothing is known through rewriters that keep their length. What is being made, or made and not
 * yet taken by the receiver, counts against the budget.
 */
public final class ByteFilter implements FrameFilter {

    private static final int OVERLOADED = 1013;

    private final BodyBudget budget;
    private final @Nullable MessageRewriters rewriters;
    private long charged;

    /**
     * Creates a filter for one direction.
     *
     * @param edits those that rewrite text alone are left out
     */
    public ByteFilter(List<Edit.RewriteMessages> edits, BodyBudget budget) throws MessageException {
        List<Supplier<BodyRewriter>> makers = edits.stream()
                .map(Edit.RewriteMessages::others)
                .filter(Objects::nonNull)
                .toList();
        this.budget = budget;
        this.rewriters = makers.isEmpty() ? null : new MessageRewriters(makers, (bytes, size) -> charge(bytes));
    }

    private void charge(int bytes) throws MessageException {
        charged += bytes;
        if (!budget.take(bytes)) {
            throw new MessageException(OVERLOADED, "overloaded: too many bytes are buffered");
        }
    }

    @Override
    public @Nullable ByteBuf pass(ByteBuf in, Consumer<ByteBuf> out) throws MessageException {
        if (rewriters == null) {
            out.accept(in);
            return null;
        }
        ByteAccumulator bytes = new ByteAccumulator();
        try {
            bytes.add(in.nioBuffer());
        } finally {
            in.release();
        }
        send(rewriters.part(bytes, false), out);
        return null;
    }

    @Override
    public void flush(Consumer<ByteBuf> out) throws MessageException {
        if (rewriters != null) {
            send(rewriters.part(new ByteAccumulator(), true), out);
        }
    }

    private static void send(ByteAccumulator bytes, Consumer<ByteBuf> out) {
        if (bytes.size() > 0) {
            out.accept(Unpooled.wrappedBuffer(Arrays.copyOf(bytes.array(), bytes.size())));
        }
    }

    @Override
    public void taken() {
        budget.give(charged);
        charged = 0;
    }

    @Override
    public boolean sawClose() {
        return false;
    }

    @Override
    public boolean betweenFrames() {
        return false;
    }

    @Override
    public void close() {
        taken();
    }
}
