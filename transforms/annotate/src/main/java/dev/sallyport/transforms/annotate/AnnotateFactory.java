package dev.sallyport.transforms.annotate;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.toolkit.headers.FieldSyntax;
import java.util.List;

/** Makes {@code annotate} transforms. */
public final class AnnotateFactory implements TransformFactory<AnnotateConfig> {

    private static final Descriptor<AnnotateConfig> DESCRIPTOR = Descriptor.of(
            "annotate", AnnotateConfig.class, "Writes the values of chosen request headers to the audit record.");

    @Override
    public Descriptor<AnnotateConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(AnnotateConfig config, Problems problems) {
        for (int i = 0; i < config.annotations().size(); i++) {
            AnnotateConfig.Annotation annotation = config.annotations().get(i);
            String pointer = "/annotations/" + i;
            if (annotation.rules().isEmpty()) {
                problems.add(pointer + "/rules", "no rule", "at least one rule");
            }
            names(annotation.headers(), pointer + "/headers", problems);
        }
    }

    private static void names(List<String> names, String pointer, Problems problems) {
        for (int i = 0; i < names.size(); i++) {
            if (!FieldSyntax.isToken(names.get(i))) {
                problems.add(pointer + "/" + i, "not a header name", "a header name such as X-Request-Id");
            }
        }
    }

    @Override
    public Capabilities capabilities(AnnotateConfig config) {
        Capabilities.Builder declared =
                Capabilities.builder().scope(config.scope()).observer().discloses(Part.REQUEST_HEADERS);
        if (config.allowDisclosure()) {
            declared.seesCredentials();
        }
        return declared.build();
    }

    @Override
    public Transform create(AnnotateConfig config, BuildContext context) throws ConfigException {
        return Annotate.of(config.annotations(), context::rules);
    }
}
