package dev.sallyport.transforms.bodycapture;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;

/** Takes {@code Content-Encoding} away, as a list of allowed headers may. */
final class Stripper implements TransformFactory<Stripper.Config> {

    record Config(boolean unused) {}

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("stripper", Config.class, "Strips a header.");
    }

    @Override
    public Capabilities capabilities(Config config) {
        return Capabilities.builder().writes(Part.REQUEST_HEADERS).build();
    }

    @Override
    public Transform create(Config config, BuildContext context) {
        Edits edits = Edits.builder().removeHeader("Content-Encoding").build();
        return (InlineTransform) request -> Decision.proceed(edits);
    }
}
