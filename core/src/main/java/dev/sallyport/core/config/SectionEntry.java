package dev.sallyport.core.config;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.toolkit.match.IpRange;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A section that a {@link SectionFactory} declares; its name is the key at the top level.
 *
 * @param <C> the section's record
 */
public final class SectionEntry<C extends Record> extends PluginEntry<SectionFactory<C>, C> {

    SectionEntry(SectionFactory<C> factory, C config, Locations places, String pointer) {
        super(factory.section(), factory, config, places, pointer);
    }

    /** The files that must be readable, by pointers below the section. */
    public Map<String, Path> files() {
        return factory().files(config());
    }

    /** The environment variables that must hold something, by pointers below the section. */
    public Map<String, String> variables() {
        return factory().variables(config());
    }

    /** Whether it delivers a policy for traffic that no workload claims. */
    public boolean deliversPolicy() {
        return factory().deliversPolicy(config());
    }

    /** The addresses to listen on, by pointers in the whole configuration. */
    public Map<String, ListenAddress> listeners() {
        Map<String, ListenAddress> listeners = new TreeMap<>();
        factory()
                .listeners(config())
                .forEach((field, address) -> listeners.put(pointer() + Pointers.relative(field), address));
        return listeners;
    }

    /** The ranges that no workload reaches, by pointers in the whole configuration. */
    public Map<String, IpRange> unreachable() {
        return placed(factory().unreachable(config()));
    }

    /** The ranges that are led to the proxy, by pointers in the whole configuration. */
    public Map<String, IpRange> steered() {
        return placed(factory().steered(config()));
    }

    private Map<String, IpRange> placed(Map<String, IpRange> fields) {
        Map<String, IpRange> ranges = new TreeMap<>();
        fields.forEach((field, range) -> ranges.put(pointer() + Pointers.relative(field), range));
        return ranges;
    }

    /** Reports what is allowed but probably not intended. */
    public void doubts(Consumer<ConfigProblem> warnings) {
        factory()
                .doubts(
                        config(),
                        (field, message, expected) ->
                                warnings.accept(problem(new ConfigException(field, message, expected))));
    }

    /**
     * The report line for a fault in code that uses the section; without the message if that may show a secret.
     *
     * @param plugin an object of the code's author
     * @param method the method that was called
     */
    public ConfigProblem fault(Object plugin, String method, Throwable fault) {
        boolean secret = RecordShape.of(config().getClass()).holdsSecret();
        return problem(PluginFault.in(plugin, method, fault, secret));
    }
}
