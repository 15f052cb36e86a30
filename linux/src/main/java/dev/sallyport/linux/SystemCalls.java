package dev.sallyport.linux;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Optional;

/**
 * System calls of Linux for which Java has no API, made through the foreign function interface. Not thread-safe: {@code
 * errno} has one place; a thread that needs calls opens its own.
 *
 * <p>The interface is final from Java 22 on, while these classes are compiled for 21: it is found by reflection. All calls
 * go through {@code syscall(2)} with seven numbers, so that only one stub is linked, which takes most of the time.
 */
public final class SystemCalls {

    private static final int FIRST_JAVA = 22;
    private static final String PACKAGE = "java.lang.foreign.";
    private static final int ARGUMENTS = 7;

    private final MethodHandle syscall;
    private final ByteBuffer error;
    private final boolean arm;

    /** A call, with its numbers on x86-64 and on 64-bit ARM. */
    public enum Call {
        BIND(49, 200),
        CLOSE(3, 57),
        LISTEN(50, 201),
        PRCTL(157, 167),
        RECVFROM(45, 207),
        RT_SIGPROCMASK(14, 135),
        SECCOMP(317, 277),
        SENDTO(44, 206),
        SETSOCKOPT(54, 208),
        SOCKET(41, 198),
        UNSHARE(272, 97);

        private final int intel;
        private final int arm;

        Call(int intel, int arm) {
            this.intel = intel;
            this.arm = arm;
        }
    }

    private SystemCalls(MethodHandle syscall, ByteBuffer error, boolean arm) {
        this.syscall = syscall;
        this.error = error;
        this.arm = arm;
    }

    /**
     * Links them.
     *
     * @throws UnavailableException when this Java or this machine has no such calls; the message says which it needs
     */
    public static SystemCalls open() throws UnavailableException {
        String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        boolean arm = machine.equals("aarch64");
        if (!System.getProperty("os.name", "").equals("Linux") || !(arm || machine.equals("amd64"))) {
            throw new UnavailableException("it needs Linux on x86-64 or 64-bit ARM");
        }
        if (Runtime.version().feature() < FIRST_JAVA) {
            throw new UnavailableException("it needs Java " + FIRST_JAVA + " or newer, and this is "
                    + Runtime.version().feature());
        }
        ByteBuffer error = memory(Integer.BYTES);
        try {
            return new SystemCalls(link().bindTo(segment(error)), error, arm);
        } catch (InvocationTargetException e) {
            throw new UnavailableException("the foreign function interface refuses: " + e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new UnavailableException("this Java has another foreign function interface: " + e);
        }
    }

    /** {@code long syscall(long, long, ...)}, with a place for {@code errno} as its first argument. */
    private static MethodHandle link() throws ReflectiveOperationException {
        Class<?> linkerType = Class.forName(PACKAGE + "Linker");
        Class<?> layoutType = Class.forName(PACKAGE + "MemoryLayout");
        Class<?> segmentType = Class.forName(PACKAGE + "MemorySegment");
        Class<?> functionType = Class.forName(PACKAGE + "FunctionDescriptor");
        Class<?> optionType = Class.forName(PACKAGE + "Linker$Option");
        Object linker = linkerType.getMethod("nativeLinker").invoke(null);
        Object names = linkerType.getMethod("defaultLookup").invoke(linker);
        Optional<?> symbol = (Optional<?>) Class.forName(PACKAGE + "SymbolLookup")
                .getMethod("find", String.class)
                .invoke(names, "syscall");
        Object number =
                Class.forName(PACKAGE + "ValueLayout").getField("JAVA_LONG").get(null);
        Object numbers = Array.newInstance(layoutType, ARGUMENTS);
        for (int i = 0; i < ARGUMENTS; i++) {
            Array.set(numbers, i, number);
        }
        Object function =
                functionType.getMethod("of", layoutType, numbers.getClass()).invoke(null, number, numbers);
        Object options = Array.newInstance(optionType, 1);
        Array.set(
                options,
                0,
                optionType.getMethod("captureCallState", String[].class).invoke(null, (Object) new String[] {"errno"}));
        return (MethodHandle) linkerType
                .getMethod("downcallHandle", segmentType, functionType, options.getClass())
                .invoke(linker, symbol.orElseThrow(), function, options);
    }

    private static Object segment(ByteBuffer direct) throws ReflectiveOperationException {
        return Class.forName(PACKAGE + "MemorySegment")
                .getMethod("ofBuffer", Buffer.class)
                .invoke(null, direct);
    }

    /** Whether this machine is an ARM; else it is an x86-64. */
    public boolean isArm() {
        return arm;
    }

    /** Memory that calls can be given, in the byte order of this machine. */
    public static ByteBuffer memory(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    /** Where memory begins. It must stay reachable until the call has returned. */
    public static long address(ByteBuffer memory) {
        try {
            return (long) Class.forName(PACKAGE + "MemorySegment")
                    .getMethod("address")
                    .invoke(segment(memory.duplicate().clear()));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("memory without an address", e);
        }
    }

    /**
     * Makes a call; blocks as it does.
     *
     * @param what the purpose, for the error
     * @return its result, never negative
     */
    public long make(String what, Call call, long... arguments) throws SystemCallException {
        long[] six = new long[ARGUMENTS - 1];
        System.arraycopy(arguments, 0, six, 0, arguments.length);
        long result;
        try {
            result = (long) syscall.invokeExact(
                    (long) (arm ? call.arm : call.intel), six[0], six[1], six[2], six[3], six[4], six[5]);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a system call throws", e);
        }
        if (result < 0) {
            throw new SystemCallException(what, error.getInt(0));
        }
        return result;
    }
}
