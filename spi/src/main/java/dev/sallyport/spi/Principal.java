package dev.sallyport.spi;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The identity of a workload. Made by {@link #anonymous} and {@link #of}. A value; immutable. */
public final class Principal {

    private static final Principal ANONYMOUS = of("", "default");

    private final String workload;
    private final String source;
    private final Map<String, String> attributes;

    private Principal(String workload, String source, Map<String, String> attributes) {
        this.workload = Objects.requireNonNull(workload, "workload");
        this.source = Objects.requireNonNull(source, "source");
        this.attributes = attributes;
    }

    /** The principal of a proxy that serves one workload. */
    public static Principal anonymous() {
        return ANONYMOUS;
    }

    /**
     * A workload, without further facts.
     *
     * @param workload see {@link #workload()}
     * @param source see {@link #source()}
     */
    public static Principal of(String workload, String source) {
        return new Principal(workload, source, Map.of());
    }

    /** The same workload, with these facts instead of those known so far. */
    public Principal withAttributes(Map<String, String> facts) {
        return new Principal(workload, source, Map.copyOf(facts));
    }

    /** Identifies the workload; empty when the proxy knows only one. */
    public String workload() {
        return workload;
    }

    /** What established the identity: {@code default}, {@code proxy_auth}, {@code address_lease}, ... */
    public String source() {
        return source;
    }

    /** Further facts, such as tags; immutable. */
    public Map<String, String> attributes() {
        return attributes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Principal that
                && workload.equals(that.workload)
                && source.equals(that.source)
                && attributes.equals(that.attributes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(workload, source, attributes);
    }

    /** Such as {@code Principal[ci-42 by proxy_auth]}. */
    @Override
    public String toString() {
        return "Principal[" + workload + " by " + source + (attributes.isEmpty() ? "" : " " + attributes) + "]";
    }
}
