package dev.sallyport.sandboxd.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process of this machine. The kernel gives numbers of processes again: the time of its start tells two of them apart.
 *
 * @param pid its number
 * @param startTicks when it started, in clock ticks since the boot
 */
public record HostProcess(long pid, long startTicks) {

    private static final int STATE = 0;
    private static final int START = 19;
    private static final Duration STEP = Duration.ofMillis(5);

    /**
     * The process that has a number now.
     *
     * @throws IOException when there is none
     */
    public static HostProcess of(long pid) throws IOException {
        return new HostProcess(pid, Long.parseLong(fields(pid)[START]));
    }

    /** Whether it runs; one that only waits to be collected does not. */
    public boolean isAlive() throws IOException {
        try {
            String[] fields = fields(pid);
            return Long.parseLong(fields[START]) == startTicks
                    && !"Z".equals(fields[STATE])
                    && !"X".equals(fields[STATE]);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            if (Files.exists(Path.of("/proc", Long.toString(pid)))) {
                throw e;
            }
            return false; // it ended while it was read
        }
    }

    /** Waits for its end; false when the time is over before. */
    public boolean awaitEnd(Duration limit) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (isAlive()) {
            if (System.nanoTime() >= deadline) {
                return false;
            }
            Thread.sleep(STEP);
        }
        return true;
    }

    /** The fields of its status after its name, which may have spaces and parentheses. */
    private static String[] fields(long pid) throws IOException {
        String status = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        return status.substring(status.lastIndexOf(')') + 2).split(" ", -1);
    }
}
