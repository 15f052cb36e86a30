package dev.sallyport.control.feed;

import java.util.List;

/**
 * For whom a pipeline is compiled: all proxies of an organization, or workloads at one of the installation, that carry the
 * same tags and read the same sources.
 *
 * @param tags sorted, each once
 * @param sources those that policies may name
 */
public record Scope(String organization, List<String> tags, PolicySources sources) {

    public Scope {
        tags = tags.stream().sorted().distinct().toList();
    }

    /** For proxies of the organization itself. */
    public Scope(String organization, List<String> tags) {
        this(organization, tags, PolicySources.ALL);
    }

    /** Whether a policy with these tags applies: a proxy must carry every one of them. */
    boolean carries(List<String> matchTags) {
        return tags.containsAll(matchTags);
    }
}
