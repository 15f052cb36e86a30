package dev.sallyport.transforms.judge;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.time.Duration;

/** Makes {@code judge} transforms. */
public final class JudgeFactory implements TransformFactory<JudgeConfig> {

    private static final Descriptor<JudgeConfig> DESCRIPTOR =
            Descriptor.of("judge", JudgeConfig.class, "Asks a language model to allow or deny requests.");

    /** Time that a decision needs in addition to waiting and calling. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    @Override
    public Descriptor<JudgeConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public String uniqueName(JudgeConfig config) {
        return config.name();
    }

    @Override
    public void validate(JudgeConfig config, Problems problems) {
        new Validation(problems).check(config);
    }

    @Override
    public Capabilities capabilities(JudgeConfig config) {
        return Capabilities.builder()
                .scope(config.rules())
                .restricts()
                .reads(Part.REQUEST_BODY)
                .effects(Effect.DISCLOSES_CONTENT, Effect.CALLS_OUT)
                .deadline(config.queueTimeout().plus(config.timeout()).plus(SLACK))
                .build();
    }

    @Override
    public Transform create(JudgeConfig config, BuildContext context) throws ConfigException {
        return new Judge(config, context);
    }
}
