package dev.sallyport.transforms.hmacsign;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.toolkit.template.TemplateException;

/** Makes {@code hmac_sign} transforms. */
public final class HmacSignFactory implements TransformFactory<HmacSignConfig> {

    private static final Descriptor<HmacSignConfig> DESCRIPTOR = Descriptor.of(
            "hmac_sign",
            HmacSignConfig.class,
            "Signs requests with a shared key (HMAC) and sets headers with the result.");

    @Override
    public Descriptor<HmacSignConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(HmacSignConfig config, Problems problems) {
        new Validation(problems).check(config);
    }

    /** Reads the body only where the message uses it. */
    @Override
    public Capabilities capabilities(HmacSignConfig config) {
        Capabilities.Builder declared = Capabilities.builder()
                .scope(config.rules())
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.INJECTS_CREDENTIAL, Effect.SIGNS)
                .needsFullVisibility();
        if (signsBody(config)) {
            declared.reads(Part.REQUEST_BODY);
        }
        return declared.build();
    }

    private static boolean signsBody(HmacSignConfig config) {
        try {
            return new Templates(config.shown().keySet())
                    .message(config.signature().message())
                    .uses(Templates.BODY);
        } catch (TemplateException e) {
            return false; // validate reports it.
        }
    }

    @Override
    public Transform create(HmacSignConfig config, BuildContext context) throws ConfigException {
        return new HmacSign(config, Signer.of(config, context), context);
    }
}
