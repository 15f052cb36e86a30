package dev.sallyport.toolkit.match;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Counts the bytes that the current thread allocates. By reflection, because the module under test does not read the
 * management modules.
 */
final class Allocation {

    private final MethodHandle counter;

    Allocation() throws ReflectiveOperationException {
        Object threads = Class.forName("java.lang.management.ManagementFactory")
                .getMethod("getThreadMXBean")
                .invoke(null);
        Class<?> type = Class.forName("com.sun.management.ThreadMXBean");
        counter = MethodHandles.publicLookup()
                .findVirtual(type, "getCurrentThreadAllocatedBytes", MethodType.methodType(long.class))
                .bindTo(threads);
    }

    long bytes() {
        try {
            return (long) counter.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
