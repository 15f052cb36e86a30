package dev.sallyport.spi;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a {@code rules} list: the shared rule format. A config record that declares {@code List<Rule> rules}
 * gets them bound, validated and, through {@link BuildContext#rules}, compiled by the engine. A value; immutable. Rules
 * may gain fields: code makes rules through the static factories and {@code with...}, or through {@link #builder}.
 */
public final class Rule {

    /** The scheme towards the origin. */
    public enum Scheme {
        /** Plain HTTP. */
        @JsonProperty("http")
        HTTP,
        /** HTTP over TLS, or TLS that is passed through. */
        @JsonProperty("https")
        HTTPS
    }

    private final @Nullable String host;
    private final @Nullable String cidr;
    private final List<String> methods;
    private final List<String> paths;
    private final List<Integer> ports;
    private final @Nullable Scheme scheme;
    private final boolean exact;
    private final boolean keepOverrides;
    private final List<String> upgrade;

    private Rule(Builder builder) {
        host = builder.host;
        cidr = builder.cidr;
        methods = builder.methods;
        paths = builder.paths;
        ports = builder.ports;
        scheme = builder.scheme;
        exact = builder.exact;
        keepOverrides = builder.keepOverrides;
        upgrade = builder.upgrade;
    }

    /** Starts a rule; one of {@code host} and {@code cidr} must follow. */
    public static Builder builder() {
        return new Builder();
    }

    /** All methods and paths of the hosts that match {@code glob}. */
    public static Rule host(String glob) {
        return builder().host(glob).build();
    }

    /** All methods and paths of the address literals in {@code range}. */
    public static Rule cidr(String range) {
        return builder().cidr(range).build();
    }

    /** A glob; exclusive with {@link #cidr()}. */
    public @Nullable String host() {
        return host;
    }

    /** A range or single address, which matches hosts that are address literals; exclusive with {@link #host()}. */
    public @Nullable String cidr() {
        return cidr;
    }

    /** Methods in upper or lower case; empty or containing {@code *} means all. */
    public List<String> methods() {
        return methods;
    }

    /** Patterns that begin with {@code /}; empty means all. */
    public List<String> paths() {
        return paths;
    }

    /** Ports; empty means all. */
    public List<Integer> ports() {
        return ports;
    }

    /** The scheme; null means both. */
    public @Nullable Scheme scheme() {
        return scheme;
    }

    /**
     * Whether the paths of a transform that {@linkplain Capabilities#restricts() restricts} are taken as they stand;
     * otherwise they hold for every spelling of a path, and for everything below a path without a wildcard. Other
     * transforms always take them as they stand.
     */
    public boolean exact() {
        return exact;
    }

    /**
     * Whether fields that ask the origin for another method or path, such as {@code X-HTTP-Method-Override}, are
     * forwarded although this rule decided by method or path.
     */
    public boolean keepOverrides() {
        return keepOverrides;
    }

    /**
     * The protocols other than {@code websocket} to which a connection may be switched (RFC 9110, 7.8), such as {@code
     * tcp} or {@code spdy/3.1}; case does not matter. Only rules that {@linkplain Capabilities#admits() admit} have a
     * say.
     */
    public List<String> upgrade() {
        return upgrade;
    }

    /** The same rule for these methods only. */
    public Rule withMethods(String... newMethods) {
        return new Builder(this).methods(List.of(newMethods)).build();
    }

    /** The same rule for these paths only. */
    public Rule withPaths(String... newPaths) {
        return new Builder(this).paths(List.of(newPaths)).build();
    }

    /** The same rule for these ports only. */
    public Rule withPorts(Integer... newPorts) {
        return new Builder(this).ports(List.of(newPorts)).build();
    }

    /** The same rule for this scheme only. */
    public Rule withScheme(Scheme newScheme) {
        return new Builder(this).scheme(newScheme).build();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Rule that
                && Objects.equals(host, that.host)
                && Objects.equals(cidr, that.cidr)
                && methods.equals(that.methods)
                && paths.equals(that.paths)
                && ports.equals(that.ports)
                && scheme == that.scheme
                && exact == that.exact
                && keepOverrides == that.keepOverrides
                && upgrade.equals(that.upgrade);
    }

    @Override
    public int hashCode() {
        int hash = 31 * Objects.hashCode(host) + Objects.hashCode(cidr);
        hash = 31 * hash + methods.hashCode();
        hash = 31 * hash + paths.hashCode();
        hash = 31 * hash + ports.hashCode();
        hash = 31 * hash + Objects.hashCode(scheme);
        hash = 31 * hash + (exact ? 1 : 0) + (keepOverrides ? 2 : 0);
        return 31 * hash + upgrade.hashCode();
    }

    /** The rule's conditions, such as {@code Rule[host=*.example.com, methods=[GET]]}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Rule[");
        text.append(host != null ? "host=" + host : "cidr=" + cidr);
        text.append(methods.isEmpty() ? "" : ", methods=" + methods);
        text.append(paths.isEmpty() ? "" : ", paths=" + paths);
        text.append(ports.isEmpty() ? "" : ", ports=" + ports);
        text.append(scheme == null ? "" : ", scheme=" + scheme);
        text.append(exact ? ", exact" : "");
        text.append(keepOverrides ? ", keep_overrides" : "");
        text.append(upgrade.isEmpty() ? "" : ", upgrade=" + upgrade);
        return text.append(']').toString();
    }

    /** Collects the conditions of a rule. Not thread-safe. */
    public static final class Builder {

        private @Nullable String host;
        private @Nullable String cidr;
        private List<String> methods = List.of();
        private List<String> paths = List.of();
        private List<Integer> ports = List.of();
        private @Nullable Scheme scheme;
        private boolean exact;
        private boolean keepOverrides;
        private List<String> upgrade = List.of();

        private Builder() {}

        private Builder(Rule from) {
            host = from.host;
            cidr = from.cidr;
            methods = from.methods;
            paths = from.paths;
            ports = from.ports;
            scheme = from.scheme;
            exact = from.exact;
            keepOverrides = from.keepOverrides;
            upgrade = from.upgrade;
        }

        /** @see Rule#host() */
        public Builder host(@Nullable String glob) {
            host = glob;
            return this;
        }

        /** @see Rule#cidr() */
        public Builder cidr(@Nullable String range) {
            cidr = range;
            return this;
        }

        /** @see Rule#methods() */
        public Builder methods(List<String> names) {
            methods = List.copyOf(names);
            return this;
        }

        /** @see Rule#paths() */
        public Builder paths(List<String> patterns) {
            paths = List.copyOf(patterns);
            return this;
        }

        /** @see Rule#ports() */
        public Builder ports(List<Integer> numbers) {
            ports = List.copyOf(numbers);
            return this;
        }

        /** @see Rule#scheme() */
        public Builder scheme(@Nullable Scheme only) {
            scheme = only;
            return this;
        }

        /** @see Rule#exact() */
        public Builder exact(boolean asItStands) {
            exact = asItStands;
            return this;
        }

        /** @see Rule#keepOverrides() */
        public Builder keepOverrides(boolean forwarded) {
            keepOverrides = forwarded;
            return this;
        }

        /** @see Rule#upgrade() */
        public Builder upgrade(List<String> protocols) {
            upgrade = List.copyOf(protocols);
            return this;
        }

        /** The rule. It is checked when it is compiled. */
        public Rule build() {
            return new Rule(this);
        }
    }
}
