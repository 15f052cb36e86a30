package dev.sallyport.spi;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the instances of one configuration read, write and cause: the ceiling that the engine enforces. Immutable.
 *
 * <p>Reading headers, method, path and query needs no declaration. Reading a body does, and every write does.
 */
public final class Capabilities {

    private static final Capabilities NONE = builder().build();

    private final Set<Part> reads;
    private final Set<Part> writes;
    private final Set<Effect> effects;
    private final Set<Part> discloses;
    private final List<Rule> scope;
    private final List<Rule> effectScope;
    private final Set<String> placeholders;
    private final boolean observer;
    private final boolean seesCredentials;
    private final boolean needsFullVisibility;
    private final boolean restricts;
    private final List<Rule> admits;
    private final List<Rule> relays;
    private final @Nullable Duration deadline;

    private Capabilities(Builder builder) {
        reads = Set.copyOf(builder.reads);
        writes = Set.copyOf(builder.writes);
        effects = Set.copyOf(builder.effects);
        discloses = Set.copyOf(builder.discloses);
        scope = builder.scope;
        effectScope = builder.effectScope;
        placeholders = Set.copyOf(builder.placeholders);
        observer = builder.observer;
        seesCredentials = builder.seesCredentials;
        needsFullVisibility = builder.needsFullVisibility;
        restricts = builder.restricts;
        admits = builder.admits;
        relays = builder.relays;
        deadline = builder.deadline;
    }

    /** Judges by the head alone, everywhere. */
    public static Capabilities none() {
        return NONE;
    }

    /** Starts a declaration. */
    public static Builder builder() {
        return new Builder();
    }

    /** The bodies that the transform reads, observes or checks. */
    public Set<Part> reads() {
        return reads;
    }

    /** The parts that the transform writes. */
    public Set<Part> writes() {
        return writes;
    }

    /** The effects beyond edits. */
    public Set<Effect> effects() {
        return effects;
    }

    /** The parts that {@link Effect#DISCLOSES_CONTENT} discloses; empty means anything that the transform sees. */
    public Set<Part> discloses() {
        return discloses;
    }

    /** Where the transform acts: it is not called for destinations that no rule reaches. Empty means everywhere. */
    public List<Rule> scope() {
        return scope;
    }

    /**
     * Where the transform causes its effects and writes, if that is narrower than where it is asked: the {@link
     * #scope()} unless something narrower was declared.
     */
    public List<Rule> effectScope() {
        return effectScope.isEmpty() ? scope : effectScope;
    }

    /** The placeholders that the transform swaps; see {@link BuildContext#placeholders}. */
    public Set<String> placeholders() {
        return placeholders;
    }

    /** Whether the transform only watches: its failures are noted in the audit record and the exchange goes on. */
    public boolean observer() {
        return observer;
    }

    /** Whether a transform that discloses content is nevertheless shown credentials. */
    public boolean seesCredentials() {
        return seesCredentials;
    }

    /**
     * Whether the transform cannot work where only the host is visible. In {@code tls.mode: sni-only} it is then a
     * configuration error, and for hosts of {@code tls.passthrough} the transform is not called.
     */
    public boolean needsFullVisibility() {
        return needsFullVisibility;
    }

    /**
     * Whether the transform restricts the requests that its rules match: another spelling of the path must not bypass
     * them. For such a transform {@link BuildContext#rules} compiles rules that also match a path in its loosest
     * reading.
     */
    public boolean restricts() {
        return restricts;
    }

    /**
     * The requests that the transform admits, if it refuses all others; empty when nothing was declared. The
     * lint check for gates wider than their neighbours uses this.
     */
    public List<Rule> admits() {
        return admits;
    }

    /** Where the transform lets TCP be relayed in which neither HTTP nor TLS is spoken; empty for nowhere. */
    public List<Rule> relays() {
        return relays;
    }

    /** How long one decision may take, or null for the engine's default. */
    public @Nullable Duration deadline() {
        return deadline;
    }

    /** Collects a declaration. Not thread-safe. */
    public static final class Builder {

        private final EnumSet<Part> reads = EnumSet.noneOf(Part.class);
        private final EnumSet<Part> writes = EnumSet.noneOf(Part.class);
        private final EnumSet<Effect> effects = EnumSet.noneOf(Effect.class);
        private final EnumSet<Part> discloses = EnumSet.noneOf(Part.class);
        private List<Rule> scope = List.of();
        private List<Rule> effectScope = List.of();
        private final Set<String> placeholders = new HashSet<>();
        private boolean observer;
        private boolean seesCredentials;
        private boolean needsFullVisibility;
        private boolean restricts;
        private List<Rule> admits = List.of();
        private List<Rule> relays = List.of();
        private @Nullable Duration deadline;

        private Builder() {}

        /** Declares parts as read; observing or checking a body counts as reading. */
        public Builder reads(Part... parts) {
            reads.addAll(List.of(parts));
            return this;
        }

        /** Declares parts as written. */
        public Builder writes(Part... parts) {
            writes.addAll(List.of(parts));
            return this;
        }

        /** Declares effects. */
        public Builder effects(Effect... causes) {
            effects.addAll(List.of(causes));
            return this;
        }

        /** Declares {@link Effect#DISCLOSES_CONTENT}, of these parts alone. */
        public Builder discloses(Part... parts) {
            effects.add(Effect.DISCLOSES_CONTENT);
            discloses.addAll(List.of(parts));
            return this;
        }

        /**
         * Limits the transform to destinations that these rules reach; an empty list means everywhere. It is not called
         * for others. Most transforms declare the rules of their configuration:
         *
         * <pre>{@code
         * return Capabilities.builder()
         *         .scope(config.rules())
         *         .writes(Part.REQUEST_HEADERS)
         *         .build();
         * }</pre>
         *
         * @see #effectScope
         */
        public Builder scope(List<Rule> rules) {
            scope = List.copyOf(rules);
            return this;
        }

        /**
         * Declares that the transform causes effects and writes only at destinations that these rules reach, although
         * it is asked about others too; an empty list means wherever it is asked. The lint check of transform order
         * uses this; nothing is enforced.
         *
         * <p>A transform that injects a token at its {@code rules}, for example, may also answer workloads that call
         * the token endpoint themselves. It must be asked about the endpoint, but puts no credential into requests to
         * it:
         *
         * <pre>{@code
         * List<Rule> asked = new ArrayList<>(config.rules());          // such as api.example.com
         * asked.add(Rule.host("oauth2.example.com"));                  // answered with a stub
         * return Capabilities.builder()
         *         .scope(asked)
         *         .effectScope(config.rules())
         *         .writes(Part.REQUEST_HEADERS)
         *         .effects(Effect.INJECTS_CREDENTIAL, Effect.ANSWERS_LOCALLY)
         *         .build();
         * }</pre>
         *
         * <p>So a transform that discloses requests to {@code oauth2.example.com} may stand anywhere in the list
         * without a warning; one that discloses those to {@code api.example.com} is told to stand before this one.
         * Another example is a transform that looks for placeholders on their way to anywhere ({@code scope} is
         * everywhere), and swaps them only where its rules say so.
         */
        public Builder effectScope(List<Rule> rules) {
            effectScope = List.copyOf(rules);
            return this;
        }

        /** Declares a placeholder that workloads send instead of a secret, and that the transform swaps. */
        public Builder placeholder(String text) {
            placeholders.add(text);
            return this;
        }

        /** Declares that the transform only watches and never refuses. */
        public Builder observer() {
            observer = true;
            return this;
        }

        /**
         * Asks for sensitive values unmasked although the transform declares {@link Effect#DISCLOSES_CONTENT}. Only
         * where the operator's configuration says so.
         */
        public Builder seesCredentials() {
            seesCredentials = true;
            return this;
        }

        /** Declares that the transform cannot work where only the host is visible; see {@link Visibility#HOST_ONLY}. */
        public Builder needsFullVisibility() {
            needsFullVisibility = true;
            return this;
        }

        /**
         * Declares that the transform restricts the requests that its rules match (it judges, filters or strips them),
         * so that matching too little would open a gate. The engine then compiles rules that no spelling of a path
         * bypasses: they also match it with case folded, {@code ;} parameters cut off, and repeated and trailing
         * slashes collapsed. Transforms that grant something to matching requests must not declare it.
         */
        public Builder restricts() {
            restricts = true;
            return this;
        }

        /**
         * Declares that the transform admits only requests that these rules match, and refuses all others. With a rule
         * for any host and nothing else the transform limits nothing, and the operator is told.
         */
        public Builder admits(List<Rule> rules) {
            admits = List.copyOf(rules);
            return this;
        }

        /**
         * Declares, besides {@link #admits}, that TCP in which neither HTTP nor TLS is spoken may be relayed to the
         * destinations of these rules; one that names methods or paths is of none. The transform is then asked, as where
         * only the host is known. Such a connection is closed unless some transform that admits declares this, and each
         * that does covers its destination; and where a transform that {@linkplain #restricts() restricts}, or {@linkplain
         * #needsFullVisibility() needs whole requests}, has to look at what goes there.
         */
        public Builder relays(List<Rule> rules) {
            relays = List.copyOf(rules);
            return this;
        }

        /** Sets how long one decision may take. */
        public Builder deadline(Duration limit) {
            if (limit.isNegative() || limit.isZero()) {
                throw new IllegalArgumentException("deadline: " + limit + " (expected: > 0)");
            }
            deadline = limit;
            return this;
        }

        /** The declaration. */
        public Capabilities build() {
            return new Capabilities(this);
        }
    }
}
