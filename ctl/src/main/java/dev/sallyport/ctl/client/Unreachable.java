package dev.sallyport.ctl.client;

import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;

/** No control plane answered. */
public final class Unreachable extends Problem {

    private final boolean broken;

    Unreachable(String message, boolean broken) {
        super(ExitCode.UNREACHABLE, message);
        this.broken = broken;
    }

    /** Whether a connection broke: the request may have been carried out. */
    public boolean isBroken() {
        return broken;
    }
}
