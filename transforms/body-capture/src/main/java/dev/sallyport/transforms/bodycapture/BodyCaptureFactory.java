package dev.sallyport.transforms.bodycapture;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;

/** Makes {@code body_capture} transforms. */
public final class BodyCaptureFactory implements TransformFactory<BodyCaptureConfig> {

    private static final Descriptor<BodyCaptureConfig> DESCRIPTOR = Descriptor.of(
            "body_capture", BodyCaptureConfig.class, "Writes the beginning of request bodies to the audit record.");

    @Override
    public Descriptor<BodyCaptureConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(BodyCaptureConfig config, Problems problems) {
        if (config.maxRequestBodyBytes() < 1) {
            problems.add("/max_request_body_bytes", "nothing would be recorded", "at least 1");
        }
    }

    @Override
    public Capabilities capabilities(BodyCaptureConfig config) {
        Capabilities.Builder declared = Capabilities.builder()
                .scope(config.rules())
                .observer()
                .reads(Part.REQUEST_BODY)
                .discloses(Part.REQUEST_BODY);
        if (config.allowDisclosure()) {
            declared.seesCredentials();
        }
        return declared.build();
    }

    @Override
    public Transform create(BodyCaptureConfig config, BuildContext context) throws ConfigException {
        return new BodyCapture(context.rules(config.rules()), config.maxRequestBodyBytes());
    }
}
