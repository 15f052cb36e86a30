package dev.sallyport.testkit;

import com.fasterxml.jackson.annotation.JsonProperty;
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
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * The transform {@code injector}: puts {@link #CREDENTIAL} into the header {@code X-Key} of every request and, if told
 * to, into its query and body. Placed before or after the transform under test, it shows what that transform discloses,
 * strips or invalidates.
 */
public final class CredentialInjector implements TransformFactory<CredentialInjector.Config> {

    /** The credential that it injects. */
    public static final String CREDENTIAL = "r34l-credential";

    /** The text that the credential replaces, in queries and bodies. */
    public static final String PLACEHOLDER = "PLACEHOLDER";

    /** How the credential gets into a body. */
    public enum Body {
        /** Not at all. */
        UNTOUCHED,
        /** Replaces {@link #PLACEHOLDER} when the body has ended. */
        SWAP,
        /** Appends to the body as it streams. */
        APPEND,
        /** Replaces the whole body, which is read first. */
        REPLACE
    }

    /**
     * Its configuration.
     *
     * @param query replaces {@link #PLACEHOLDER} in the query
     * @param body how the credential gets into the body
     * @param signs declares that the transform signs the request
     */
    public record Config(
            boolean query,
            @JsonProperty(defaultValue = "untouched") Body body,
            boolean signs) {}

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("injector", Config.class, "Puts a credential into requests.");
    }

    @Override
    public Capabilities capabilities(Config config) {
        Capabilities.Builder declared =
                Capabilities.builder().writes(Part.REQUEST_HEADERS).effects(Effect.INJECTS_CREDENTIAL);
        if (config.query()) {
            declared.writes(Part.QUERY);
        }
        if (config.body() != Body.UNTOUCHED) {
            declared.writes(Part.REQUEST_BODY);
        }
        if (config.body() == Body.REPLACE) {
            declared.reads(Part.REQUEST_BODY);
        }
        if (config.signs()) {
            declared.effects(Effect.SIGNS);
        }
        return declared.build();
    }

    @Override
    public Transform create(Config config, BuildContext context) {
        return (InlineTransform) request -> {
            Edits.Builder edits = Edits.builder().sensitive().setHeader("X-Key", CREDENTIAL);
            if (config.query()) {
                edits.setQuery(request.head().query().replace(PLACEHOLDER, CREDENTIAL));
            }
            return switch (config.body()) {
                case UNTOUCHED -> Decision.proceed(edits.build());
                case SWAP -> Decision.proceed(edits.rewriteBody(new Swap()).build());
                case APPEND -> Decision.proceed(edits.rewriteBody(new Append()).build());
                case REPLACE ->
                    Decision.read(
                            Buffered.whole(),
                            RequestStep.inline(read ->
                                    Decision.proceed(edits.replaceBody(CREDENTIAL.getBytes(StandardCharsets.US_ASCII))
                                            .build())));
            };
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
            String swapped = seen.toString(StandardCharsets.UTF_8).replace(PLACEHOLDER, CREDENTIAL);
            out.write(ByteBuffer.wrap(swapped.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static final class Append implements BodyRewriter {

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
