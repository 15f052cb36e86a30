package dev.sallyport.core;

import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Transform;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline in the vocabulary of the configuration: YAML or JSON with the key {@code transforms}, and the sections of
 * transforms that have one, such as {@code mcp}. Transforms that the application has made itself follow the list.
 * Immutable. A value: equal pipelines are read once an update, and their transforms exist once, however many workloads
 * have them.
 */
public final class PipelineSpec {

    private final String text;
    private final List<Given> given;
    private final String yielding;

    /** A transform that exists. */
    record Given(String name, Capabilities capabilities, Transform transform) {}

    private PipelineSpec(String text, List<Given> given, String yielding) {
        this.text = Objects.requireNonNull(text, "text");
        this.given = List.copyOf(given);
        this.yielding = Objects.requireNonNull(yielding, "yielding");
    }

    /**
     * A pipeline that this text describes, such as
     *
     * <pre>{@code
     * transforms:
     *   - {name: allowlist, config: {domains: [api.example.com]}}
     * }</pre>
     *
     * <p>Paths in it are relative to the folder of the proxy's file. It is read when an update applies it.
     */
    public static PipelineSpec of(String yamlOrJson) {
        return new PipelineSpec(yamlOrJson, List.of(), "");
    }

    /** The same pipeline, with a transform after those of the text; as {@link EgressProxy.Builder#transform}. */
    public PipelineSpec with(String name, Transform transform) {
        return with(name, ProgrammaticTransform.UNDECLARED, transform);
    }

    /**
     * As above, with its own declaration. The proxy closes the transform when the last pipeline that contains it has
     * ended.
     */
    public PipelineSpec with(String name, Capabilities capabilities, Transform transform) {
        List<Given> more = new ArrayList<>(given);
        more.add(new Given(
                Objects.requireNonNull(name, "name"),
                Objects.requireNonNull(capabilities, "capabilities"),
                Objects.requireNonNull(transform, "transform")));
        return new PipelineSpec(text, more, yielding);
    }

    /**
     * The same pipeline, whose first transform, if it has this name, yields to those of the file: it counts only while the
     * file in force has none of this name for the same callers. A file that comes into force decides it anew, in the same
     * step. Others of the name, further down, count in any case.
     *
     * @param transform the name, as the list has it
     */
    public PipelineSpec yielding(String transform) {
        return new PipelineSpec(text, given, transform);
    }

    /** The name with which the first transform yields to those of the file; empty when it does not. */
    String yielding() {
        return yielding;
    }

    String text() {
        return text;
    }

    List<Given> given() {
        return given;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PipelineSpec that
                && text.equals(that.text)
                && given.equals(that.given)
                && yielding.equals(that.yielding);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Without the text, in which somebody may have put a secret. */
    @Override
    public String toString() {
        return "PipelineSpec[" + text.length() + " characters, " + given.size() + " given]";
    }
}
