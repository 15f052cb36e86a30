package dev.sallyport.transforms.grpc;

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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Sets {@code X-Key}, replaces the query, and if told to, puts a credential before the body. */
final class Injector implements TransformFactory<Injector.Config> {

    static final String CREDENTIAL = "r34l-credential";

    record Config(boolean body) {}

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("injector", Config.class, "Puts credentials in.");
    }

    @Override
    public Capabilities capabilities(Config config) {
        return Capabilities.builder()
                .writes(Part.REQUEST_HEADERS, Part.QUERY, Part.REQUEST_BODY)
                .effects(Effect.INJECTS_CREDENTIAL)
                .build();
    }

    @Override
    public Transform create(Config config, BuildContext context) {
        return (InlineTransform) request -> {
            Edits.Builder edits = Edits.builder()
                    .sensitive()
                    .setHeader("X-Key", CREDENTIAL)
                    .setQuery(request.head().query().replace("PLACEHOLDER", CREDENTIAL));
            return Decision.proceed((config.body() ? edits.rewriteBody(new Prefix()) : edits).build());
        };
    }

    private static final class Prefix implements BodyRewriter {

        @Override
        public void write(ByteBuffer in, Sink out) {
            out.write(in);
        }

        @Override
        public void end(Sink out) {
            out.write(ByteBuffer.wrap(CREDENTIAL.getBytes(StandardCharsets.US_ASCII)));
        }
    }
}
