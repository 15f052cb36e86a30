package dev.sallyport.server.learn;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The destinations to which a configuration sends credentials. Immutable. */
public final class CredentialHosts {

    private static final CredentialHosts NONE = new CredentialHosts(List.of(), List.of());

    private final List<CompiledRules> rules;
    private final List<String> everywhere;

    private CredentialHosts(List<CompiledRules> rules, List<String> everywhere) {
        this.rules = List.copyOf(rules);
        this.everywhere = List.copyOf(everywhere);
    }

    /** No credentials, or none that are known. */
    public static CredentialHosts none() {
        return NONE;
    }

    /** Those of a configuration. */
    public static CredentialHosts of(ProxyConfig config) {
        List<CompiledRules> rules = new ArrayList<>();
        List<String> everywhere = new ArrayList<>();
        Stream.concat(config.transforms().stream(), config.sections().stream()).forEach(entry -> {
            Capabilities capabilities = entry.capabilities();
            if (!capabilities.effects().contains(Effect.INJECTS_CREDENTIAL)) {
                return;
            }
            if (capabilities.effectScope().isEmpty()) {
                everywhere.add(entry.name() + " at " + entry.at());
            } else {
                rules.add(compiled(entry, capabilities.effectScope()));
            }
        });
        return new CredentialHosts(rules, everywhere);
    }

    private static CompiledRules compiled(TransformEntry<?> entry, List<Rule> scope) {
        try {
            return CompiledRules.of(scope);
        } catch (ConfigException e) {
            throw new IllegalStateException("rules of " + entry + " that were checked", e);
        }
    }

    /** Whether a request to this destination may get a credential. */
    boolean contains(Destination destination) {
        return !everywhere.isEmpty() || rules.stream().anyMatch(there -> there.reaches(destination));
    }

    /** The transforms whose credentials go to every destination, with their places. */
    List<String> everywhere() {
        return everywhere;
    }
}
