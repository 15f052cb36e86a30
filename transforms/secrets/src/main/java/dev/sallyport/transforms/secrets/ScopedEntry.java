package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import org.jspecify.annotations.Nullable;

/** An entry of the configuration that acts within its rules. */
sealed interface ScopedEntry permits Replacement, Injection {

    /** Position in the configuration. */
    int index();

    /** The secret that it puts in. */
    Secret secret();

    /** Its rules, or null for all destinations. */
    @Nullable RuleSet rules();

    /** Whether its value may be sent anywhere without TLS. */
    boolean overPlaintext();

    /** The credential, as declared to the engine. */
    EntryCredential credential();

    default boolean matches(RequestContext context) {
        RuleSet own = rules();
        return own == null || own.match(context) != RuleSet.NO_MATCH;
    }

    /** Its name in refusals. */
    default String position() {
        return "secrets[" + index() + "]";
    }
}
