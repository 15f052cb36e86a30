package dev.sallyport.testkit;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;

/** The transform {@code token_header}: sends a secret as the header {@code X-Token}. */
final class TokenHeader implements TransformFactory<TokenHeader.Config> {

    record Config(@JsonProperty(required = true) SecretRef token) {}

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("token_header", Config.class, "Sends a secret as a header.");
    }

    @Override
    public Capabilities capabilities(Config config) {
        return Capabilities.builder()
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.INJECTS_CREDENTIAL)
                .build();
    }

    @Override
    public Transform create(Config config, BuildContext context) throws ConfigException {
        Secret token = context.secret(config.token());
        return (InlineTransform) request -> Decision.proceed(Edits.builder()
                .sensitive()
                .setHeader("X-Token", token.value().text())
                .build());
    }
}
