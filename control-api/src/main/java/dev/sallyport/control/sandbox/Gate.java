package dev.sallyport.control.sandbox;

import java.net.Inet4Address;
import org.jspecify.annotations.Nullable;

/**
 * The proxy through which guests reach the world. Whatever comes from an address of sandboxes that no VM has claimed, and from a
 * VM whose policies are not there yet, is refused. Thread-safe.
 */
public interface Gate {

    /** Why no guest could be judged here, in a sentence; null when guests can be. */
    @Nullable String problem();

    /** Whether there is a gate in this process. */
    boolean isPresent();

    /**
     * Binds an address to a VM, which is judged by its organization's policies as soon as they are in force. Returns
     * when the gate knows it; before that the guest must not be up. One that is bound already is left as it is, unless the
     * gate refuses it. Blocks, for ten seconds at most; when it is called again, it awaits the same answer.
     *
     * @throws IllegalStateException when the gate does not take it, or does not answer; the message says why
     */
    void claim(String vm, String organization, Inet4Address address) throws InterruptedException;

    /** Whether all policies up to a change are in force for a VM. Where there is no gate, only guests that are made up are. */
    boolean confirms(String vm, long revision);

    /**
     * Lets an address go, after its guest has ended. Blocks, for ten seconds at most.
     *
     * @throws IllegalStateException when the gate does not confirm it; it may be called again
     */
    void release(String vm) throws InterruptedException;
}
