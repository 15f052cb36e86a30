package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Puts a credential into {@code X-Key} and the query, and if told to, into the body. */
final class Injector implements TransformFactory<Injector.Config> {

    static final String CREDENTIAL = "r34l-credential";

    /**
     * @param body puts the credential behind the body as it streams
     * @param replace puts it in the place of the body
     */
    record Config(boolean body, boolean replace) {}

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("injector", Config.class, "Puts credentials in.");
    }

    @Override
    public Capabilities capabilities(Config config) {
        return Capabilities.builder()
                .reads(Part.REQUEST_BODY)
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
            if (config.replace()) {
                byte[] credential = CREDENTIAL.getBytes(StandardCharsets.US_ASCII);
                return Decision.read(
                        Buffered.whole(),
                        RequestStep.inline(read ->
                                Decision.proceed(edits.replaceBody(credential).build())));
            }
            return Decision.proceed((config.body() ? edits.rewriteBody(new Suffix()) : edits).build());
        };
    }

    private static final class Suffix implements BodyRewriter {

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
