package dev.sallyport.linux;

import java.io.IOException;

/** A system call that failed. */
public final class SystemCallException extends IOException {

    public static final int EPERM = 1;
    public static final int EINTR = 4;
    public static final int EACCES = 13;
    public static final int ENOSPC = 28;

    private static final long serialVersionUID = 1L;

    private final int errno;

    public SystemCallException(String what, int errno) {
        super(what + ": " + reason(errno));
        this.errno = errno;
    }

    /** The number of the error. */
    public int errno() {
        return errno;
    }

    private static String reason(int errno) {
        return switch (errno) {
            case EPERM -> "not permitted";
            case EACCES -> "permission denied";
            case ENOSPC -> "the limit of this machine is reached";
            case 97 -> "no such address family";
            case 98 -> "the address is in use";
            default -> "error " + errno;
        };
    }
}
