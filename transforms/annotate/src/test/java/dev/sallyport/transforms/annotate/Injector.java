package dev.sallyport.transforms.annotate;

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

/** Puts a credential into the header {@code X-Key}; it stands before the transform that is tested. */
final class Injector implements TransformFactory<Injector.Config> {

    static final String CREDENTIAL = "r34l-credential";

    record Config(boolean unused) {}

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("injector", Config.class, "Puts a credential into a header.");
    }

    @Override
    public Capabilities capabilities(Config config) {
        return Capabilities.builder()
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.INJECTS_CREDENTIAL)
                .build();
    }

    @Override
    public Transform create(Config config, BuildContext context) {
        Edits edits = Edits.builder().sensitive().setHeader("X-Key", CREDENTIAL).build();
        return (InlineTransform) request -> Decision.proceed(edits);
    }
}
