package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.IpRange;
import java.nio.file.Path;
import java.util.Map;

/**
 * Declares a top-level section of the configuration that configures no transform. The section is bound, overridden by
 * the environment, checked and added to the schema like those of the proxy; it exists when the file or the environment
 * names it. Stateless; all methods are pure and may be called from any thread.
 *
 * @param <C> the record that the section is bound to, with the types that {@link dev.sallyport.spi.TransformFactory}
 *     lists except {@link dev.sallyport.spi.SecretRef}: only the pipeline gets secrets
 */
public interface SectionFactory<C extends Record> {

    /** The key at the top level, in lower snake case. Always the same. */
    String section();

    /** The record that the section is bound to. Always the same. */
    Class<C> configType();

    /** One sentence, for the schema. */
    String summary();

    /** Reports all problems of a well-typed section; {@code sallyport check} runs it too. No I/O. */
    default void validate(C config, Problems problems) {}

    /**
     * Reports what is allowed but probably not intended; called only if {@link #validate} reported no problem. No I/O.
     */
    default void doubts(C config, Problems doubts) {}

    /**
     * The files that the section names and that must be readable at the start, by the field's JSON pointer relative to
     * the section. The engine checks them.
     */
    default Map<String, Path> files(C config) {
        return Map.of();
    }

    /**
     * The environment variables that must hold something at the start, by the field's JSON pointer relative to the section.
     * {@code sallyport check} warns when one does not: it may run elsewhere.
     */
    default Map<String, String> variables(C config) {
        return Map.of();
    }

    /**
     * The TCP addresses of the section's listeners, by the field's JSON pointer relative to the section: two listeners
     * with the same address are refused. Excludes disabled listeners.
     */
    default Map<String, ListenAddress> listeners(C config) {
        return Map.of();
    }

    /**
     * The ranges that no workload reaches through the proxy, whatever its policy allows, by the field's JSON pointer relative
     * to the section. They are those of the start: a reload changes none.
     */
    default Map<String, IpRange> unreachable(C config) {
        return Map.of();
    }

    /**
     * The ranges of IPv4 whose connections and DNS are led to the proxy's listeners, whatever they were for, by the field's JSON
     * pointer relative to the section. The first address of a range, after that of the network, is the proxy's. {@code
     * sallyport check} warns where the proxy is not made for it.
     */
    default Map<String, IpRange> steered(C config) {
        return Map.of();
    }

    /**
     * Whether what has this section delivers a policy for traffic that no workload claims, and refuses everything until it
     * has: the transforms of the file then need not limit where requests may go.
     */
    default boolean deliversPolicy(C config) {
        return false;
    }
}
