package dev.sallyport.sandboxd.system;

import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.UnavailableException;
import java.io.IOException;

/** The system calls of a thread. That a machine has them is a need of each driver, looked at before there is one. */
public final class Calls {

    private Calls() {}

    /** Has them ready. */
    public static SystemCalls open() throws IOException {
        try {
            return SystemCalls.open();
        } catch (UnavailableException e) {
            throw new IOException("no system calls: " + e.getMessage(), e);
        }
    }
}
