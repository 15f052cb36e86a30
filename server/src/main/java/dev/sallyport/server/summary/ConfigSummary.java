package dev.sallyport.server.summary;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.SectionEntry;
import dev.sallyport.core.config.TransformEntry;
import java.util.List;
import java.util.stream.Stream;

/** What a configuration means, in three sentences. Shows no values of secrets. Pure functions. */
public final class ConfigSummary {

    private ConfigSummary() {}

    /** Who listens where; what may leave; which credentials go where. */
    public static List<String> of(ProxyConfig config) {
        List<TransformEntry<?>> entries = Stream.<TransformEntry<?>>concat(
                        config.transforms().stream(), config.sections().stream())
                .toList();
        boolean delivered = config.companions().stream().anyMatch(SectionEntry::deliversPolicy);
        return List.of(
                ListenerSentence.of(config),
                DestinationSentence.of(entries, delivered),
                CredentialSentence.of(entries, delivered));
    }
}
