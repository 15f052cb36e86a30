package dev.sallyport.core;

import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.pipeline.PrebuiltConfig;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;

/** A transform that an embedding application has made itself. */
record ProgrammaticTransform(String name, Capabilities capabilities)
        implements TransformFactory<ProgrammaticTransform.Given> {

    /** The transform as configuration; equal only to itself, so that it survives reloads. */
    record Given(Transform transform, Capabilities capabilities) implements PrebuiltConfig {}

    /** What a transform without a declaration of its own may do. */
    static final Capabilities UNDECLARED = Capabilities.builder()
            .reads(Part.values())
            .writes(Part.values())
            .effects(Effect.ANSWERS_LOCALLY)
            .build();

    static TransformEntry<Given> entry(String name, Capabilities capabilities, Transform transform, int index) {
        return new TransformEntry<>(
                new ProgrammaticTransform(name, capabilities),
                new Given(transform, capabilities),
                new Location("EgressProxy.Builder", 0, 0),
                "/given/" + index);
    }

    @Override
    public Descriptor<Given> descriptor() {
        return Descriptor.of(name, Given.class, "Given by the embedding application.");
    }

    @Override
    public Capabilities capabilities(Given config) {
        return capabilities;
    }

    @Override
    public Transform create(Given config, BuildContext context) {
        return config.transform();
    }
}
