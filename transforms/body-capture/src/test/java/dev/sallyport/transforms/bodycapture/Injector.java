package dev.sallyport.transforms.bodycapture;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Sets {@code X-Key}, and swaps PLACEHOLDER in bodies unless told not to. */
final class Injector implements TransformFactory<Injector.Config> {

    static final String CREDENTIAL = "r34l-credential";

    record Config(boolean headersOnly) {}

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("injector", Config.class, "Puts a credential into a header and into bodies.");
    }

    @Override
    public Capabilities capabilities(Config config) {
        Part[] parts = config.headersOnly()
                ? new Part[] {Part.REQUEST_HEADERS}
                : new Part[] {Part.REQUEST_HEADERS, Part.REQUEST_BODY};
        return Capabilities.builder()
                .writes(parts)
                .effects(Effect.INJECTS_CREDENTIAL)
                .build();
    }

    @Override
    public Transform create(Config config, BuildContext context) {
        return (InlineTransform) request -> {
            Edits.Builder edits = Edits.builder().sensitive().setHeader("X-Key", CREDENTIAL);
            return Decision.proceed((config.headersOnly() ? edits : edits.rewriteBody(new Swap())).build());
        };
    }

    private static final class Swap implements BodyRewriter {

        private final ByteArrayOutputStream seen = new ByteArrayOutputStream();

        @Override
        public OptionalLong length(OptionalLong in) {
            return OptionalLong.empty();
        }

        @Override
        public void write(ByteBuffer in, Sink out) {
            while (in.hasRemaining()) {
                seen.write(in.get());
            }
        }

        @Override
        public void end(Sink out) {
            String swapped = seen.toString(StandardCharsets.UTF_8).replace("PLACEHOLDER", CREDENTIAL);
            out.write(ByteBuffer.wrap(swapped.getBytes(StandardCharsets.UTF_8)));
        }
    }
}
