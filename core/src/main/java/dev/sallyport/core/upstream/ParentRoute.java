package dev.sallyport.core.upstream;

import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.parent.Parents;
import org.jspecify.annotations.Nullable;

/**
 * The parent proxy of a connection, if any.
 *
 * @param parent null for a direct connection
 * @param forwarded whether the parent receives requests in absolute form (RFC 9112, 3.2.2) instead of opening a tunnel
 */
record ParentRoute(@Nullable Parent parent, boolean forwarded) {

    private static final ParentRoute DIRECT = new ParentRoute(null, false);

    static ParentRoute of(Route route, Parents parents) {
        Parent parent = parents.of(route.destination());
        return parent == null
                ? DIRECT
                : new ParentRoute(parent, !route.connected() && parent.forwards(route.destination()));
    }
}
