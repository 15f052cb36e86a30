package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Makes {@code grpc} transforms. */
public final class GrpcFactory implements TransformFactory<GrpcConfig> {

    private static final Descriptor<GrpcConfig> DESCRIPTOR =
            Descriptor.of("grpc", GrpcConfig.class, "Asks an external gRPC server about requests and responses.");

    /** Time that a decision needs in addition to the call. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    @Override
    public Descriptor<GrpcConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public String uniqueName(GrpcConfig config) {
        return config.name();
    }

    @Override
    public void validate(GrpcConfig config, Problems problems) {
        new Validation(problems).check(config);
    }

    @Override
    public Map<String, Path> files(GrpcConfig config) {
        return config.tls().files();
    }

    @Override
    public Capabilities capabilities(GrpcConfig config) {
        Capabilities.Builder capabilities = Capabilities.builder()
                .scope(config.rules())
                .restricts()
                .reads(Part.REQUEST_BODY, Part.RESPONSE_BODY)
                .writes(Part.METHOD, Part.PATH, Part.QUERY, Part.REQUEST_HEADERS, Part.REQUEST_BODY)
                .writes(Part.STATUS, Part.RESPONSE_HEADERS, Part.RESPONSE_BODY)
                .effects(Effect.DISCLOSES_CONTENT, Effect.CALLS_OUT, Effect.ANSWERS_LOCALLY)
                .deadline(config.timeout().plus(SLACK));
        return (config.allowDisclosure() ? capabilities.seesCredentials() : capabilities).build();
    }

    @Override
    public Transform create(GrpcConfig config, BuildContext context) throws ConfigException {
        return GrpcTransform.create(config, context);
    }
}
