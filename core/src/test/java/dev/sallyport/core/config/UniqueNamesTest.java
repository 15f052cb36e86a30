package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Names by which instances of a transform are told from one another. */
class UniqueNamesTest {

    /** Has a name of its own, if any. */
    record Named(@JsonProperty(defaultValue = "") String name) {}

    private record Naming(String transform) implements TransformFactory<Named> {

        @Override
        public Descriptor<Named> descriptor() {
            return Descriptor.of(transform, Named.class, "Given by a test.");
        }

        @Override
        public String uniqueName(Named config) {
            return config.name();
        }

        @Override
        public Transform create(Named config, BuildContext context) {
            return (InlineTransform) request -> Decision.proceed();
        }
    }

    private static List<String> problems(String entries) {
        ConfigResult result = ConfigLoader.load(
                "f.yaml",
                Load.VALID + "transforms: [" + entries + "]\n",
                Load.FOLDER,
                Map.of(),
                PluginCatalog.of(List.of(new Naming("one"), new Naming("other")), List.of()));
        return ConfigReport.of(result.problems()).lines().toList();
    }

    @Test
    void twoOfOneKindMustNotHaveTheSameName() {
        assertThat(problems("{name: one, config: {name: a}}, {name: one, config: {name: a}}"))
                .singleElement()
                .asString()
                .contains("/transforms/1/config/name: another one has this name");
    }

    @Test
    void othersMay() {
        assertThat(problems("{name: one, config: {name: a}}, {name: one, config: {name: A}}"))
                .isEmpty();
        assertThat(problems("{name: one, config: {name: a}}, {name: other, config: {name: a}}"))
                .isEmpty();
        assertThat(problems("{name: one, config: {}}, {name: one, config: {}}")).isEmpty();
    }
}
