package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;
import java.nio.file.Path;
import java.util.Map;

/**
 * Declares a top-level section of the configuration that configures no transform. The section is bound, overridden by the
 * environment, checked and put into the schema as those of the proxy are; it is there when the file or the environment
 * names it. Stateless; all methods are pure and may be called from any thread.
 *
 * @param <C> the record that the section is bound to, of the types that {@link dev.sallyport.spi.TransformFactory} names
 *     but for {@link dev.sallyport.spi.SecretRef}: only the pipeline is given secrets
 */
public interface SectionFactory<C extends Record> {

    /** The key at the top level, in lower snake case. Always the same. */
    String section();

    /** The record that the section is bound to. Always the same. */
    Class<C> configType();

    /** One sentence, for the schema. */
    String summary();

    /** Reports everything that is wrong with a well-typed section; also run by {@code sallyport check}. No I/O. */
    default void validate(C config, Problems problems) {}

    /** Reports what is allowed but probably not meant; asked only where {@link #validate} found nothing wrong. No I/O. */
    default void doubts(C config, Problems doubts) {}

    /**
     * The files that the section names and that must be readable at the start, by the JSON pointer of the field below the
     * section. The engine looks.
     */
    default Map<String, Path> files(C config) {
        return Map.of();
    }

    /**
     * The TCP addresses that the section lets somebody listen on, by the JSON pointer of the field below the section: two
     * listeners with one address are refused. Without those that are switched off.
     */
    default Map<String, ListenAddress> listeners(C config) {
        return Map.of();
    }
}
