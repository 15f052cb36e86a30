package dev.sallyport.linux;

import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
    private static final int AT_FDCWD = -100;
    private static final int O_CLOEXEC = 0x80000;

    /** Linked once; null until then. */
    private static volatile @Nullable MethodHandle linked;

    private final MethodHandle syscall;
    private final ByteBuffer error;
    private final boolean arm;

    /** A call, with its numbers on x86-64 and on 64-bit ARM. */
    public enum Call {
        BIND(49, 200),
        CLOSE(3, 57),
        IOCTL(16, 29),
        LISTEN(50, 201),
        LSEEK(8, 62),
        MKNODAT(259, 33),
        MOUNT(165, 40),
        OPENAT(257, 56),
        PRCTL(157, 167),
        RECVFROM(45, 207),
        RT_SIGPROCMASK(14, 135),
        SECCOMP(317, 277),
        SENDTO(44, 206),
        SETNS(308, 268),
        SETSOCKOPT(54, 208),
        SOCKET(41, 198),
        UMOUNT2(166, 39),
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
     * Has them ready; the first time links them.
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
            MethodHandle handle = linked;
            if (handle == null) {
                handle = link();
                linked = handle;
            }
            return new SystemCalls(handle.bindTo(segment(error)), error, arm);
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

    /** A text in memory that calls can be given, with a zero at its end. */
    public static ByteBuffer text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return memory(bytes.length + 1).put(bytes).put((byte) 0);
    }

    /**
     * Opens a file, which no program that this process begins gets.
     *
     * @param flags as {@code open(2)} has them on all machines
     * @return the descriptor, which the caller closes
     */
    public int open(Path file, int flags) throws SystemCallException {
        return (int) makeWith("opening " + file, Call.OPENAT, AT_FDCWD, text(file.toString()), flags | O_CLOEXEC, 0);
    }

    /** Closes a descriptor, of which the kernel lets go in any case. */
    public void close(int descriptor) throws SystemCallException {
        make("closing a file", Call.CLOSE, descriptor);
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

    /**
     * The same, with memory among its arguments, which stays reachable until the call has returned.
     *
     * @param arguments numbers and direct buffers, which stand for where they begin
     */
    public long makeWith(String what, Call call, Object... arguments) throws SystemCallException {
        long[] numbers = new long[arguments.length];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = switch (arguments[i]) {
                case ByteBuffer memory -> address(memory);
                case Number number -> number.longValue();
                default -> throw new IllegalArgumentException("no argument of a system call: " + arguments[i]);
            };
        }
        try {
            return make(what, call, numbers);
        } finally {
            Reference.reachabilityFence(arguments);
        }
    }
}
