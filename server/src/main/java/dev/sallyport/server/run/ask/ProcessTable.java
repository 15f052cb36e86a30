package dev.sallyport.server.run.ask;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The processes that Linux shows in {@code /proc}, as they were one after another (proc_pid_stat(5)). Immutable. */
final class ProcessTable {

    private static final Path PROCESSES = Path.of("/proc");

    /** Where numbers stand in {@code stat}, counted from the state on. */
    private static final int PARENT = 1;

    private static final int SESSION = 3;
    private static final int TERMINAL = 4;
    private static final int STARTED = 19;

    private final Map<Long, Entry> entries = new TreeMap<>();

    private ProcessTable() {}

    /**
     * A process.
     *
     * @param session 0 when it began outside of this PID namespace
     * @param terminal the device number of the controlling terminal; 0 when there is none
     * @param started in clock ticks since the machine has started; with the number it names one process only
     */
    record Entry(long pid, long parent, long session, long terminal, long started) {

        private static Entry of(long pid, String stat) {
            String[] fields = fields(stat);
            return new Entry(
                    pid,
                    Long.parseLong(fields[PARENT]),
                    Long.parseLong(fields[SESSION]),
                    Long.parseLong(fields[TERMINAL]),
                    Long.parseLong(fields[STARTED]));
        }
    }

    /** What the threads of a process do. */
    enum Activity {
        /** At least one is neither stopped nor ended; one that a debugger has stopped counts as running. */
        RUNNING,
        /**
         * At least one sleeps where no signal wakes it, as a parent does until the child that shares its memory (vfork) goes
         * on; all others are stopped or ended. When it has been told to stop it runs no further.
         */
        BLOCKED,
        /** At least one is stopped by a signal, and all others too, or ended. */
        STOPPED,
        /** All have ended, or the process is not there any more. */
        GONE
    }

    /** @throws IOException when processes are hidden, or there is no such file system */
    static ProcessTable read() throws IOException {
        ProcessTable table = new ProcessTable();
        for (Path folder : numbered(PROCESSES)) {
            String stat = stat(folder);
            if (stat != null) {
                long pid = Long.parseLong(folder.getFileName().toString());
                table.entries.put(pid, Entry.of(pid, stat));
            }
        }
        if (!table.entries.containsKey(1L) || !table.entries.containsKey(self())) {
            throw new IOException("/proc does not show all processes");
        }
        return table;
    }

    /** The number of this process. */
    static long self() {
        return ProcessHandle.current().pid();
    }

    /** All processes, the oldest first: so that parents come before their children. */
    List<Entry> oldestFirst() {
        return entries.values().stream()
                .sorted(Comparator.comparingLong(Entry::started))
                .toList();
    }

    @Nullable Entry get(long pid) {
        return entries.get(pid);
    }

    int size() {
        return entries.size();
    }

    /** What a process does now. One whose main thread has ended may well run. */
    static Activity activity(Entry process) throws IOException {
        Path folder = PROCESSES.resolve(Long.toString(process.pid()));
        String stat = stat(folder);
        if (stat == null || Entry.of(process.pid(), stat).started() != process.started()) {
            return Activity.GONE;
        }
        Activity activity = Activity.GONE;
        for (Path thread : numbered(folder.resolve("task"))) {
            String state = state(thread);
            if (state.equals("D")) {
                activity = Activity.BLOCKED;
            } else if (state.equals("T")) {
                activity = activity == Activity.BLOCKED ? activity : Activity.STOPPED;
            } else if (!state.equals("Z") && !state.equals("X")) {
                return Activity.RUNNING;
            }
        }
        return activity;
    }

    private static String state(Path thread) throws IOException {
        String stat = stat(thread);
        return stat == null ? "X" : fields(stat)[0];
    }

    /** What follows the name, which may contain anything. */
    private static String[] fields(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    /** Null when the process or the thread is not there any more. */
    private static @Nullable String stat(Path folder) throws IOException {
        try {
            return Files.readString(folder.resolve("stat"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            if (Files.exists(folder)) {
                throw e;
            }
            return null;
        }
    }

    /** The folders whose names are numbers; none when there is no such folder any more. */
    private static Collection<Path> numbered(Path folder) throws IOException {
        Map<Long, Path> found = new TreeMap<>();
        try (DirectoryStream<Path> list = Files.newDirectoryStream(folder, "[1-9]*")) {
            list.forEach(path -> found.put(Long.parseLong(path.getFileName().toString()), path));
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            if (Files.exists(folder)) {
                throw e.getCause();
            }
        }
        return found.values();
    }
}
