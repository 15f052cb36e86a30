package dev.sallyport.control.model;

import dev.sallyport.core.meter.HeapExhaustion;

/**
 * What a thread of the control plane survives. Its loops serve all accounts, so what the data of one triggers must not end
 * them: neither an exception, nor a stack that is too deep, nor memory that one piece of work wanted too much of, nor a
 * class that is missing. Exhaustion of the heap is noted, and whoever owns the listeners acts on it.
 */
public final class Faults {

    private Faults() {}

    /**
     * Returns when a loop can go on after this, and throws it when it cannot: after an {@link InternalError} or {@link
     * UnknownError} the virtual machine itself is in doubt.
     *
     * @param fault an unchecked exception, or an error
     */
    public static void survived(Throwable fault) {
        HeapExhaustion.note(fault);
        if (fault instanceof InternalError || fault instanceof UnknownError) {
            throw (VirtualMachineError) fault;
        }
    }
}
