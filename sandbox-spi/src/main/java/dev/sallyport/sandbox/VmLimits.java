package dev.sallyport.sandbox;

/**
 * What a VM may take of its host.
 *
 * @param memoryBytes memory, page cache and temporary file systems included; at least 64 MiB
 * @param cpuMillis thousandths of one processor; 10 to 1,024,000
 * @param processes processes and threads; 16 to 1,000,000
 * @param diskBytes what it writes on top of its image; 64 MiB to 16 TiB
 */
public record VmLimits(long memoryBytes, int cpuMillis, int processes, long diskBytes) {

    private static final long MIB = 1 << 20;
    private static final long TIB = 1L << 40;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException when a value is out of its range
     */
    public VmLimits {
        check("memoryBytes", memoryBytes, 64 * MIB, 64 * TIB);
        check("cpuMillis", cpuMillis, 10, 1_024_000);
        check("processes", processes, 16, 1_000_000);
        check("diskBytes", diskBytes, 64 * MIB, 16 * TIB);
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + " (expected: " + least + " to " + most + ")");
        }
    }
}
