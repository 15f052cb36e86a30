package dev.sallyport.transforms.bodycapture;

import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;

/** Reads bodies as they will be forwarded, as a signer does. */
final class Reader implements TransformFactory<Reader.Config> {

    record Config(boolean unused) {}

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("reader", Config.class, "Reads bodies.");
    }

    @Override
    public Capabilities capabilities(Config config) {
        return Capabilities.builder().reads(Part.REQUEST_BODY).build();
    }

    @Override
    public Transform create(Config config, BuildContext context) {
        return (InlineTransform)
                request -> Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed()));
    }
}
