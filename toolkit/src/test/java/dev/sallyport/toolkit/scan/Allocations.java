package dev.sallyport.toolkit.scan;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** The bytes that this thread has allocated so far. By name, since the module under test does not read java.management. */
final class Allocations {

    private static final MethodHandle COUNTER = counter();

    private Allocations() {}

    static long ofThisThread() {
        try {
            return (long) COUNTER.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandle counter() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Object bean = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            return lookup.findVirtual(
                            Class.forName("com.sun.management.ThreadMXBean"),
                            "getCurrentThreadAllocatedBytes",
                            MethodType.methodType(long.class))
                    .bindTo(bean);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
