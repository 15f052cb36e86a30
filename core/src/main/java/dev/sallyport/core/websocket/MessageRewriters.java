package dev.sallyport.core.websocket;

import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Passes one message through its rewriters, one after the other; whole, or as it arrives. */
final class MessageRewriters {

    /** Asked for memory before a message grows. */
    interface Room {

        /** Takes this many more bytes, or throws when there is no memory for them. */
        void take(int bytes, int size) throws MessageException;
    }

    private final List<BodyRewriter> rewriters;
    private final Room room;

    MessageRewriters(List<Supplier<BodyRewriter>> makers, Room room) throws MessageException {
        this.rewriters = new ArrayList<>(makers.size());
        this.room = room;
        try {
            makers.forEach(maker -> rewriters.add(maker.get()));
        } catch (Throwable broken) {
            throw failed(broken);
        }
    }

    /** Rewrites a whole message; the result may be the message that was given. */
    ByteAccumulator whole(ByteAccumulator message) throws MessageException {
        ByteAccumulator current = message;
        for (BodyRewriter rewriter : rewriters) {
            ByteAccumulator rewritten = apply(rewriter, current, true);
            current = rewriter.changed() ? rewritten : current;
        }
        return current;
    }

    /** Rewrites what can pass of a message that is still arriving; with its last bytes, the rest. */
    ByteAccumulator part(ByteAccumulator bytes, boolean last) throws MessageException {
        ByteAccumulator current = bytes;
        for (BodyRewriter rewriter : rewriters) {
            current = apply(rewriter, current, last);
        }
        return current;
    }

    private ByteAccumulator apply(BodyRewriter rewriter, ByteAccumulator bytes, boolean last) throws MessageException {
        Output out = new Output(bytes, room);
        try {
            if (bytes.size() > 0) {
                rewriter.write(ByteBuffer.wrap(bytes.array(), 0, bytes.size()).asReadOnlyBuffer(), out);
            }
            out.writing = false;
            if (last) {
                rewriter.end(out);
            }
        } catch (NoRoom full) {
            throw full.fault;
        } catch (Throwable broken) {
            throw failed(broken);
        }
        return out.bytes;
    }

    private static MessageException failed(Throwable broken) {
        HeapExhaustion.note(broken);
        return new MessageException(
                1011,
                "a transform could not rewrite a message: " + broken.getClass().getSimpleName());
    }

    /** Carries a fault through a transform. */
    private static final class NoRoom extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient MessageException fault;

        NoRoom(MessageException fault) {
            super(null, null, false, false);
            this.fault = fault;
        }
    }

    private static final class Output implements BodyRewriter.Sink {

        private final ByteAccumulator from;
        private final Room room;
        private final ByteAccumulator bytes = new ByteAccumulator();
        private boolean writing = true;

        Output(ByteAccumulator from, Room room) {
            this.from = from;
            this.room = room;
        }

        @Override
        public void write(ByteBuffer in) {
            take(in.remaining());
            bytes.add(in);
        }

        @Override
        public void forward(int index, int length) {
            if (!writing) {
                throw new IllegalStateException(
                        "forward: no buffer is being rewritten (expected: a call inside write)");
            }
            if (index < 0 || length < 0 || index > from.size() - length) {
                throw new IndexOutOfBoundsException("forward: outside of the buffer");
            }
            take(length);
            bytes.add(from.array(), index, length);
        }

        private void take(int length) {
            try {
                room.take(length, bytes.size());
            } catch (MessageException fault) {
                throw new NoRoom(fault);
            }
        }
    }
}
