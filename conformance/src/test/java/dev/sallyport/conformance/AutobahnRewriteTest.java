package dev.sallyport.conformance;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every text message is taken apart and put together again, in both directions, and comes out as it was. */
@Tag("long")
class AutobahnRewriteTest {

    @Test
    void everyCasePassesThroughRewriters(@TempDir Path folder) throws Exception {
        InlineTransform transform = request -> Decision.proceed(Edits.builder()
                .rewriteMessages(true, Same::new)
                .rewriteMessages(false, Same::new)
                .build());
        Capabilities capabilities = Capabilities.builder().writes(Part.MESSAGES).build();
        Autobahn.run("rewrite", folder, false, EgressProxy.builder().transform("same", capabilities, transform));
    }

    private static final class Same implements BodyRewriter {

        @Override
        public void write(ByteBuffer in, Sink out) {
            out.write(in);
        }

        @Override
        public void end(Sink out) {}
    }
}
