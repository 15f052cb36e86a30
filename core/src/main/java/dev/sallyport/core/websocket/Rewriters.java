package dev.sallyport.core.websocket;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;

/** Takes a whole message through one rewriter after the other, each made for it. */
final class Rewriters {

    private final List<Supplier<BodyRewriter>> makers;

    Rewriters(List<Supplier<BodyRewriter>> makers) {
        this.makers = List.copyOf(makers);
    }

    /** The message as it is to go on; it may be the one that was given. */
    Bytes apply(Bytes message) throws MessageFault {
        Bytes current = message;
        for (Supplier<BodyRewriter> maker : makers) {
            try {
                current = apply(maker.get(), current);
            } catch (Throwable broken) {
                String who = broken.getClass().getSimpleName();
                throw new MessageFault(1011, "a transform could not rewrite a message: " + who);
            }
        }
        return current;
    }

    private static Bytes apply(BodyRewriter rewriter, Bytes message) {
        Output out = new Output(message);
        rewriter.write(ByteBuffer.wrap(message.array(), 0, message.size()).asReadOnlyBuffer(), out);
        out.writing = false;
        rewriter.end(out);
        return rewriter.changed() ? out.bytes : message;
    }

    private static final class Output implements BodyRewriter.Sink {

        private final Bytes from;
        private final Bytes bytes = new Bytes();
        private boolean writing = true;

        Output(Bytes from) {
            this.from = from;
        }

        @Override
        public void write(ByteBuffer in) {
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
            bytes.add(from.array(), index, length);
        }
    }
}
