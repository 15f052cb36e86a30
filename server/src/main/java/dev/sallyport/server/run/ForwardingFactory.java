package dev.sallyport.server.run;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.nio.file.Path;
import java.util.Map;

/** A factory that does what another one does, except for what is overridden. */
abstract class ForwardingFactory<C extends Record> implements TransformFactory<C> {

    private final TransformFactory<C> factory;

    ForwardingFactory(TransformFactory<C> factory) {
        this.factory = factory;
    }

    @Override
    public Descriptor<C> descriptor() {
        return factory.descriptor();
    }

    @Override
    public void validate(C config, Problems problems) {
        factory.validate(config, problems);
    }

    @Override
    public void doubts(C config, Problems doubts) {
        factory.doubts(config, doubts);
    }

    @Override
    public Map<String, Path> files(C config) {
        return factory.files(config);
    }

    @Override
    public String uniqueName(C config) {
        return factory.uniqueName(config);
    }

    @Override
    public Capabilities capabilities(C config) {
        return factory.capabilities(config);
    }

    @Override
    public Transform create(C config, BuildContext context) throws ConfigException {
        return factory.create(config, context);
    }
}
