package dev.sallyport.server.run.linux;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A seccomp filter for what namespaces leave open: typing into the user's terminal (TIOCSTI, TIOCLINUX), and sockets of
 * families that belong to no network namespace, such as AF_VSOCK. {@code io_uring} makes sockets that no filter sees and
 * does not exist for the program; neither do other system call tables through which a filter would have to look at
 * memory.
 */
final class CallFilter {

    private static final int SECCOMP_SET_MODE_FILTER = 1;
    private static final int INSTRUCTION_BYTES = 8;

    private static final int LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
    private static final int IF_EQUAL = 0x15;
    private static final int IF_AT_LEAST = 0x35;
    private static final int RETURN = 0x06;

    // struct seccomp_data
    private static final int NUMBER = 0;
    private static final int ARCHITECTURE = 4;
    private static final int FIRST_ARGUMENT = 16;
    private static final int SECOND_ARGUMENT = 24;

    private static final int ALLOW = 0x7fff0000;
    private static final int ERROR = 0x00050000;
    private static final int EPERM = 1;
    private static final int ENOSYS = 38;
    private static final int EAFNOSUPPORT = 97;

    private static final int TIOCSTI = 0x5412;
    private static final int TIOCLINUX = 0x541c;
    private static final int IO_URING_SETUP = 425; // in every table
    private static final int SYS_SOCKET = 1;
    private static final int X32 = 0x40000000;

    /** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_ALG: all others are refused. */
    private static final int[] FAMILIES = {1, 2, 10, 16, 17, 38};

    private final List<int[]> code = new ArrayList<>();

    private CallFilter() {}

    /**
     * Installs it for the calling thread and for what this thread starts from now on; it cannot be taken away. The thread
     * needs CAP_SYS_ADMIN in its user namespace.
     */
    static void install(SystemCalls calls) throws SystemCallException {
        ByteBuffer code = program(calls.isArm());
        ByteBuffer program = SystemCalls.memory(16)
                .putShort((short) (code.capacity() / INSTRUCTION_BYTES))
                .putLong(8, SystemCalls.address(code));
        calls.make("a filter of system calls", Call.SECCOMP, SECCOMP_SET_MODE_FILTER, 0, SystemCalls.address(program));
    }

    private static ByteBuffer program(boolean arm) {
        CallFilter filter = new CallFilter();
        filter.load(ARCHITECTURE);
        if (arm) {
            filter.block(0xc00000b7, table(29, 198)); // AUDIT_ARCH_AARCH64
            filter.block(0x40000028, table(54, 281)); // AUDIT_ARCH_ARM
        } else {
            CallFilter narrow = new CallFilter().load(NUMBER).atLeast(X32, ERROR | ENOSYS);
            filter.block(0xc000003e, narrow.append(table(16, 41))); // AUDIT_ARCH_X86_64
            CallFilter multiplexed = new CallFilter().load(NUMBER).block(102, socketCalls());
            filter.block(0x40000003, multiplexed.append(table(54, 359))); // AUDIT_ARCH_I386
        }
        filter.end(ERROR | ENOSYS);
        ByteBuffer program = SystemCalls.memory(filter.code.size() * INSTRUCTION_BYTES);
        for (int[] instruction : filter.code) {
            program.putShort((short) instruction[0])
                    .put((byte) instruction[1])
                    .put((byte) instruction[2])
                    .putInt(instruction[3]);
        }
        return program;
    }

    /** @param ioctl and the other are the numbers of these calls */
    private static CallFilter table(int ioctl, int socket) {
        CallFilter terminal = new CallFilter()
                .load(SECOND_ARGUMENT)
                .on(TIOCSTI, ERROR | EPERM)
                .on(TIOCLINUX, ERROR | EPERM)
                .end(ALLOW);
        CallFilter families = new CallFilter().load(FIRST_ARGUMENT);
        for (int family : FAMILIES) {
            families.on(family, ALLOW);
        }
        return new CallFilter()
                .load(NUMBER)
                .block(ioctl, terminal)
                .block(socket, families.end(ERROR | EAFNOSUPPORT))
                .on(IO_URING_SETUP, ERROR | ENOSYS)
                .end(ALLOW);
    }

    /** {@code socketcall(2)} has its arguments in memory. C libraries use {@code socket(2)} since Linux 4.3. */
    private static CallFilter socketCalls() {
        return new CallFilter()
                .load(FIRST_ARGUMENT)
                .on(SYS_SOCKET, ERROR | ENOSYS)
                .end(ALLOW);
    }

    private CallFilter load(int offset) {
        code.add(new int[] {LOAD, 0, 0, offset});
        return this;
    }

    private CallFilter end(int verdict) {
        code.add(new int[] {RETURN, 0, 0, verdict});
        return this;
    }

    /** A verdict when this is loaded. */
    private CallFilter on(int value, int verdict) {
        code.add(new int[] {IF_EQUAL, 0, 1, value});
        return end(verdict);
    }

    private CallFilter atLeast(int value, int verdict) {
        code.add(new int[] {IF_AT_LEAST, 0, 1, value});
        return end(verdict);
    }

    /** Goes on with a block, which returns, when this is loaded. */
    private CallFilter block(int value, CallFilter block) {
        code.add(new int[] {IF_EQUAL, 0, block.code.size(), value});
        return append(block);
    }

    private CallFilter append(CallFilter block) {
        code.addAll(block.code);
        return this;
    }
}
