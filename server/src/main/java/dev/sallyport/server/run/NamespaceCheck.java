package dev.sallyport.server.run;

import dev.sallyport.linux.UnavailableException;
import dev.sallyport.server.run.linux.Jail;
import java.util.Set;

/** Whether {@code --isolate netns} works here: tried, not guessed. */
public final class NamespaceCheck {

    private NamespaceCheck() {}

    /** Why it does not; empty when it does. Blocks. */
    public static String obstacle() {
        try (Jail jail = Jail.make(Set.of(80, 443))) {
            jail.sockets();
            NamespaceConfinement.probe(jail);
            return "";
        } catch (UnavailableException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
