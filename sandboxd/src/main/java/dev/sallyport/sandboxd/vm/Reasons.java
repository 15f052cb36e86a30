package dev.sallyport.sandboxd.vm;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;

/** Why something failed, for those who ask a driver. Pure functions. */
final class Reasons {

    /** ENOSPC, at the end of what the class library says of it. */
    private static final String NO_SPACE = "No space left on device";

    private Reasons() {}

    /** What a program that was killed was doing may well succeed another time, and so may what found no room. */
    static Reason of(Exception cause) {
        return switch (cause) {
            case CommandException program when program.noSpace() -> Reason.EXHAUSTED;
            case CommandException program when program.killed() -> Reason.UNAVAILABLE;
            case SystemCallException call when call.errno() == SystemCallException.ENOSPC -> Reason.EXHAUSTED;
            case IOException file when String.valueOf(file.getMessage()).endsWith(NO_SPACE) -> Reason.EXHAUSTED;
            default -> Reason.FAILED;
        };
    }
}
