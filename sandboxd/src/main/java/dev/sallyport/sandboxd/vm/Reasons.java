package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.CommandException;

/** Why something failed, for those who ask a driver. Pure functions. */
final class Reasons {

    private Reasons() {}

    /** What a program that was killed was doing may well succeed another time. */
    static Reason of(CommandException e) {
        if (e.noSpace()) {
            return Reason.EXHAUSTED;
        }
        return e.killed() ? Reason.UNAVAILABLE : Reason.FAILED;
    }
}
