package dev.sallyport.core.net.request;

import dev.sallyport.spi.Principal;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whose requests come from one client address. The answer may change while a connection lasts. Called on
 * event loops, for each request.
 */
@FunctionalInterface
public interface CallerSelection {

    /**
     * The caller.
     *
     * @param user the user that has authenticated to the proxy, or null
     */
    Principal as(@Nullable AuthenticatedUser user);
}
