package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;

/** Makes {@code sigv4_auth} transforms, also called {@code aws_auth}. */
public final class SigV4AuthFactory implements TransformFactory<SigV4AuthConfig> {

    private static final Descriptor<SigV4AuthConfig> DESCRIPTOR = Descriptor.of(
                    "sigv4_auth",
                    SigV4AuthConfig.class,
                    "Signs requests to AWS again, with real credentials (Signature Version 4).")
            .alsoNamed("aws_auth");

    @Override
    public Descriptor<SigV4AuthConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(SigV4AuthConfig config, Problems problems) {
        new Validation(problems).check(config);
    }

    @Override
    public Capabilities capabilities(SigV4AuthConfig config) {
        return Capabilities.builder()
                .scope(config.rules())
                .reads(Part.REQUEST_BODY)
                .writes(Part.REQUEST_HEADERS, Part.QUERY, Part.REQUEST_BODY)
                .effects(Effect.INJECTS_CREDENTIAL, Effect.SIGNS)
                .needsFullVisibility()
                .build();
    }

    @Override
    public Transform create(SigV4AuthConfig config, BuildContext context) throws ConfigException {
        SigV4AuthConfig.CredentialsProvider provider = config.credentialsProvider();
        Credentials credentials =
                provider == null ? SecretCredentials.of(config, context) : WorkloadIdentity.of(provider, context);
        return new SigV4Auth(config, credentials, context);
    }
}
