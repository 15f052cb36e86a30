package dev.sallyport.core.exchange;

import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Principal;
import org.jspecify.annotations.Nullable;

/**
 * What may outlive the policy that admitted it, and can be judged anew: an exchange, a TLS connection that is passed
 * through, or a tunnel. Confined to one event loop, where {@link Rechecks} keeps it in a list.
 */
abstract class Recheckable {

    /** Neighbours in the list of the loop; those of {@link Rechecks}. */
    @Nullable Recheckable older;

    @Nullable Recheckable younger;

    boolean listed;

    /** Whether it could not be looked at, and waits to be looked at once more. */
    boolean faulty;

    private @Nullable Connection told;

    /** The connection of the caller whose traffic it is, as it was told when this began. */
    abstract Connection client();

    /** The connection of the caller whose traffic it was when it was last judged. */
    final Connection told() {
        return told == null ? client() : told;
    }

    /** Whose traffic it is from now on. */
    final void told(Connection now) {
        told = now;
    }

    /** The caller when this began. */
    final Principal principal() {
        return client().principal();
    }

    /**
     * Judges it by the host-level policy of this generation, and ends it, with its record, if that refuses it. Does
     * nothing when this generation admitted it.
     *
     * @param caller as {@link #client()}, of the caller whose traffic it is now
     */
    abstract void recheck(Generation now, Connection caller);

    /**
     * Ends it, with its record, if it carries a secret that has been deleted.
     *
     * @return how many credentials it carried, each of which had to be looked at
     */
    int endIfDeleted() {
        return 0;
    }
}
