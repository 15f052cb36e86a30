package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import org.jspecify.annotations.Nullable;

/** An entry of the configuration that acts within its rules. */
sealed interface Scoped permits Replacement, Injection {

    /** Position in the configuration. */
    int index();

    /** What it puts in. */
    Secret secret();

    /** Its rules, or null for everywhere. */
    @Nullable RuleSet rules();

    /** Whether its value may go anywhere without TLS. */
    boolean overPlaintext();

    /** The same, as the engine is told of it. */
    EntryCredential credential();

    default boolean matches(RequestContext context) {
        RuleSet own = rules();
        return own == null || own.match(context) != RuleSet.NO_MATCH;
    }

    /** How refusals name it. */
    default String position() {
        return "secrets[" + index() + "]";
    }
}
