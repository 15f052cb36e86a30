package dev.sallyport.linux;

import java.io.IOException;

/** A system call that failed. */
public final class SystemCallException extends IOException {

    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int ENXIO = 6;
    public static final int EACCES = 13;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
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
            case ENOENT -> "no such file (ENOENT)";
            case 5 -> "input or output fails (EIO)";
            case ENXIO -> "no such device or address (ENXIO)";
            case 9 -> "the descriptor is none (EBADF)";
            case 12 -> "no memory is left (ENOMEM)";
            case 14 -> "the address of memory is none (EFAULT)";
            case EBUSY -> "it is busy (EBUSY)";
            case EEXIST -> "it is there already (EEXIST)";
            case ENODEV -> "no such device (ENODEV)";
            case 20 -> "a folder in its name is none (ENOTDIR)";
            case EINVAL -> "the kernel does not take it like that (EINVAL)";
            case 23 -> "the machine has too many open files (ENFILE)";
            case 24 -> "the process has too many open files (EMFILE)";
            case 30 -> "the file system is read-only (EROFS)";
            case 34 -> "a number is out of range (ERANGE)";
            case 36 -> "the name is too long (ENAMETOOLONG)";
            case 38 -> "the kernel does not have this call (ENOSYS)";
            case 40 -> "too many symbolic links (ELOOP)";
            case 95 -> "the kernel does not do that (EOPNOTSUPP)";
            case 97 -> "no such address family";
            case 98 -> "the address is in use";
            case 100 -> "the interface is down (ENETDOWN)";
            case 101 -> "there is no way to the network (ENETUNREACH)";
            case 117 -> "the file system is damaged (EUCLEAN)";
            default -> "error " + errno;
        };
    }
}
