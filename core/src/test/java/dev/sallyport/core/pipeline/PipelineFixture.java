package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Transform;
import java.time.Duration;

/** Stages and settings for tests of the pipeline's parts. */
final class PipelineFixture {

    static final Transform IDLE = (InlineTransform) request -> Decision.proceed();

    private PipelineFixture() {}

    static PipelineSettings settings() {
        return new PipelineSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), new BodyCaps(1 << 20, 1 << 20));
    }

    static Stage stage(int position, Transform transform, Capabilities capabilities) {
        return new Stage(
                position,
                "t" + position,
                "",
                transform,
                capabilities,
                Stage.Resources.NONE,
                Duration.ofMinutes(1).toNanos());
    }

    static Stage stage(int position, Capabilities capabilities) {
        return stage(position, IDLE, capabilities);
    }

    /** A stage that may do nothing but write these parts. */
    static Stage writing(Part... parts) {
        return stage(0, Capabilities.builder().writes(parts).build());
    }

    /** As {@link #writing}; and what it writes may be a credential. */
    static Stage injecting(Part... parts) {
        return stage(
                0,
                Capabilities.builder()
                        .writes(parts)
                        .effects(Effect.INJECTS_CREDENTIAL)
                        .build());
    }
}
