package dev.sallyport.spi;

import java.nio.file.Path;
import java.util.Map;

/**
 * Makes transforms of one kind. Implementations are found by {@link java.util.ServiceLoader}, need a public no-argument
 * constructor and hold no state.
 *
 * <p>The life of a configuration entry has four moments, in this order:
 *
 * <ol>
 *   <li>The engine binds the YAML of the entry to the config record {@code C}: strict, with source positions.
 *   <li>{@link #validate} checks what types cannot express. Pure.
 *   <li>{@link #capabilities} says what instances of this configuration will do. Pure.
 *   <li>{@link #create} makes the instance. May block: it never runs on an event loop.
 * </ol>
 *
 * @param <C> the record that the entry's {@code config} block is bound to. Its components may be strings, numbers,
 *     booleans, {@link java.time.Duration}, enums (lower snake case in YAML), other records, {@link SecretRef},
 *     {@link Rule}, and lists or string-keyed maps of these. {@code @JsonProperty} gives name, {@code required} and
 *     {@code defaultValue}; {@code @JsonPropertyDescription} the text for schema and documentation.
 */
public interface TransformFactory<C extends Record> {

    /** Name, configuration type and summary. Always returns an equal value. */
    Descriptor<C> descriptor();

    /**
     * Reports everything that is wrong with a well-typed configuration. Pure: no I/O, no clock, no secrets. It is also
     * run by {@code sallyport check}.
     */
    default void validate(C config, Problems problems) {}

    /**
     * Reports what is allowed but probably a mistake: the start and {@code sallyport check} warn of it. Pure; called
     * only for configurations in which {@link #validate} found no problem.
     */
    default void doubts(C config, Problems doubts) {}

    /**
     * The files that making an instance reads, by the JSON pointer of the field that names them, below the
     * configuration: {@code sallyport check} reports those that cannot be read. Pure: the engine opens them.
     */
    default Map<String, Path> files(C config) {
        return Map.of();
    }

    /**
     * The name of instances of this configuration, if it must be unique among the entries of this transform: the field
     * {@code name}. Empty when there is none. Pure.
     */
    default String uniqueName(C config) {
        return "";
    }

    /**
     * What instances made from this configuration read, write and cause. Pure. The engine refuses at run time what is
     * not declared here.
     */
    default Capabilities capabilities(C config) {
        return Capabilities.none();
    }

    /**
     * Makes an instance. May block. Instances with equal configuration and secret versions may be shared by several
     * pipelines.
     *
     * @throws ConfigException when the configuration is well-formed but cannot work
     */
    Transform create(C config, BuildContext context) throws ConfigException;
}
