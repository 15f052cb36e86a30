package dev.sallyport.spi;

/**
 * Makes secret sources of one kind. Found by {@link java.util.ServiceLoader}; needs a public no-argument constructor
 * and holds no state. The keys {@code type}, {@code json_key} and {@code optional} belong to the engine: a config
 * record does not declare them.
 *
 * @param <C> the record that the reference's other keys are bound to; a component {@code Duration ttl} makes the engine
 *     refresh the value at that interval (0: read once)
 */
public interface SecretSourceFactory<C extends Record> {

    /** Name (the {@code type}), configuration type and summary. */
    Descriptor<C> descriptor();

    /** See {@link TransformFactory#validate}. */
    default void validate(C config, Problems problems) {}

    /**
     * Whether a read stays on this machine, is short and changes nothing: {@code sallyport check} then reads the value,
     * to warn of probable mistakes. Pure.
     */
    default boolean local(C config) {
        return false;
    }

    /** Makes a source. May block. */
    SecretSource create(C config, SourceContext context) throws ConfigException;
}
