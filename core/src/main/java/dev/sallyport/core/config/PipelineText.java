package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.nio.file.Path;
import java.util.List;

/**
 * A pipeline that was read from a text of its own: bound and checked, as far as that was possible.
 *
 * @param transforms the list, in order
 * @param sections the transforms that have a section of their own
 * @param problems everything that is wrong with it; empty when it can be used
 * @param warnings what is allowed but probably a mistake
 */
public record PipelineText(
        List<TransformEntry<?>> transforms,
        List<TransformEntry<?>> sections,
        List<ConfigProblem> problems,
        List<ConfigProblem> warnings) {

    /** The keys of a pipeline besides the sections of transforms. */
    record Fields(
            @JsonPropertyDescription("The pipeline, in order.")
            List<TransformEntry<?>> transforms) {}

    public PipelineText {
        transforms = List.copyOf(transforms);
        sections = List.copyOf(sections);
        problems = problems.stream().sorted().distinct().toList();
        warnings = warnings.stream().sorted().distinct().toList();
    }

    /**
     * Reads a text: YAML or JSON with the key {@code transforms}, and the sections of transforms.
     *
     * @param source the name of the text in messages
     * @param folder the base of relative paths in it
     */
    public static PipelineText read(String source, String text, Path folder, PluginCatalog catalog) {
        Findings findings = new Findings();
        ConfigNode root = YamlReader.read(source, text, findings);
        if (root == null) {
            return new PipelineText(List.of(), List.of(), findings.problems(), findings.warnings());
        }
        Binder binder = new Binder(catalog, folder, findings);
        ConfigNode.Mapping mapping = binder.mapping(root, "", "a mapping with transforms, or a section of a transform");
        if (mapping == null) {
            return new PipelineText(List.of(), List.of(), findings.problems(), findings.warnings());
        }
        Object fields = binder.block(Fields.class, mapping, "", false, catalog.sectionNames());
        List<TransformEntry<?>> sections = binder.plugins().sections(mapping, "");
        return new PipelineText(
                fields instanceof Fields bound ? bound.transforms() : List.of(),
                sections,
                findings.problems(),
                findings.warnings());
    }
}
