package dev.sallyport.toolkit.scan;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Replaces placeholders in one message whose beginning says how values are written in it. */
final class MessageRewriter implements BodyRewriter {

    private final PlaceholderReplacer replacer;
    private final PlaceholderReplacer.Choice choice;
    private @Nullable BodyRewriter chosen;

    MessageRewriter(PlaceholderReplacer replacer, PlaceholderReplacer.Choice choice) {
        this.replacer = replacer;
        this.choice = choice;
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        BodyRewriter rewriter = chosen;
        if (rewriter == null) {
            if (!in.hasRemaining()) {
                return;
            }
            rewriter = replacer.body(BodyEscaping.ofText(in), choice);
            chosen = rewriter;
        }
        rewriter.write(in, out);
    }

    @Override
    public void end(Sink out) {
        if (chosen != null) {
            chosen.end(out);
        }
    }

    @Override
    public boolean changed() {
        return chosen != null && chosen.changed();
    }
}
