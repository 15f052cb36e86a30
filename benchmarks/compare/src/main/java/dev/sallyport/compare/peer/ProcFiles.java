package dev.sallyport.compare.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What Linux tells of a process (proc(5)). */
final class ProcFiles {

    /** Of the kernel's interface, not of the hardware: 100 on all that Linux runs on today. */
    private static final double TICKS_PER_SECOND = 100;

    private static final int UTIME = 11;

    private ProcFiles() {}

    /** With that of children that have ended; 0 for a process that has ended itself. */
    static double cpuSeconds(long pid) throws IOException {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            // The name in parentheses may have spaces in it.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int i = UTIME; i < UTIME + 4; i++) {
                ticks += Long.parseLong(fields[i]);
            }
            return ticks / TICKS_PER_SECOND;
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    static double rssMib(long pid) throws IOException {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"), StandardCharsets.ISO_8859_1)) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
                }
            }
            return 0;
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
