package dev.sallyport.server.run.linux;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import dev.sallyport.linux.UnavailableException;

/** Whether others may look into this process. */
public final class Dumping {

    private static final int PR_SET_DUMPABLE = 4;

    private Dumping() {}

    /**
     * Forbids other processes of the same user to read the memory, the environment and the open files of this one, where
     * that is possible: on Linux, with Java 22 and newer. It holds for all threads. Call it before a secret is read.
     *
     * @return why it is not possible; empty when it is done
     */
    public static String forbid() {
        try {
            SystemCalls.open().make("the protection of this process", Call.PRCTL, PR_SET_DUMPABLE, 0);
            return "";
        } catch (UnavailableException | SystemCallException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
