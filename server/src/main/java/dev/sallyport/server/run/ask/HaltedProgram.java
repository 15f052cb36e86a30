package dev.sallyport.server.run.ask;

import dev.sallyport.server.run.ask.ProcessTable.Activity;
import dev.sallyport.server.run.ask.ProcessTable.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A program that is stopped, with all that could disturb the terminal: the processes that descend from it, those of their
 * sessions, and those of this process's session. This process, what it descends from and what else it has started go on.
 *
 * <p>The program goes on when this is closed, and also when this process is killed: shells that ignore the keyboard wait
 * for either. Children go on before their parents, which so do not see them stopped. Not thread-safe.
 */
final class HaltedProgram implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 2000;
    private static final int POLL_MILLIS = 5;

    /** Stops processes, and lets them go on when its input ends. Both lists are numbers between blanks. */
    private static final String KEEPER =
            "trap '' HUP INT QUIT TERM TSTP USR1 USR2; kill -STOP $1; read -r end; kill -CONT $2; exit 0";

    private final long program;

    /** All that were found, by number. */
    private final Map<Long, Entry> seen = new LinkedHashMap<>();

    private final Set<Long> sessions = new HashSet<>();
    private final List<Keeper> keepers = new ArrayList<>();

    /** Those that are to go on: who was stopped before is none of them. */
    private final Set<Entry> kept = new HashSet<>();

    /** Whether no more were found when all that were known had stopped. */
    private boolean whole;

    /** A shell, and the processes that it lets go on. */
    private record Keeper(Process shell, String processes) {}

    private HaltedProgram(long program) {
        this.program = program;
    }

    /** Stops a program; {@link #hindrance} says whether that succeeded. Blocks for a few seconds at most. */
    static HaltedProgram of(ProcessHandle program) throws IOException, InterruptedException {
        HaltedProgram halted = new HaltedProgram(program.pid());
        try {
            halted.stop();
            return halted;
        } catch (IOException | InterruptedException | RuntimeException e) {
            halted.close();
            throw e;
        }
    }

    private void stop() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        boolean still = false;
        while (System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS)) {
            List<Entry> more = more();
            List<Entry> running = running();
            List<Entry> active = new ArrayList<>(running);
            active.addAll(those(Activity.BLOCKED));
            if (still && more.isEmpty() && running.isEmpty() && kept.containsAll(active)) {
                whole = true;
                return;
            }
            still = running.isEmpty();
            List<Entry> fresh = active.stream().filter(kept::add).toList();
            keep(fresh);
            // As long as another one runs it may let go on who is stopped.
            Set<Entry> again = new LinkedHashSet<>(more);
            again.addAll(running);
            fresh.forEach(again::remove);
            signal("STOP", numbers(List.copyOf(again)));
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Looks for processes that were not there before, parents before their children. */
    private List<Entry> more() throws IOException {
        ProcessTable table = ProcessTable.read();
        Entry self = table.get(ProcessTable.self());
        if (self == null) {
            throw new IOException("/proc does not show this process");
        }
        Set<Long> spared = new HashSet<>();
        Entry ancestor = self;
        while (ancestor != null && spared.add(ancestor.pid())) {
            ancestor = table.get(ancestor.parent());
        }
        sessions.add(self.session());
        List<Entry> more = new ArrayList<>();
        for (Entry process : table.oldestFirst()) {
            Entry known = seen.get(process.pid());
            boolean isKnown = known != null && known.started() == process.started();
            if (!isKnown && !spared.contains(process.pid()) && isHalted(process, self, table)) {
                seen.put(process.pid(), process);
                more.add(process);
            }
            if (seen.containsKey(process.pid())) {
                sessions.add(process.session());
            }
        }
        return more;
    }

    private boolean isHalted(Entry process, Entry self, ProcessTable table) {
        Entry at = process;
        // A number may have been given anew while the table was read: the way up need not end.
        for (int steps = 0; at != null && steps < table.size(); steps++) {
            if (at.pid() == program || seen.containsKey(at.pid())) {
                return true;
            }
            if (at.pid() == self.pid()) {
                return false;
            }
            at = table.get(at.parent());
        }
        // Sessions that began outside of this PID namespace have no number.
        return sessions.contains(process.session())
                && (process.session() != 0 || process.terminal() == self.terminal());
    }

    /** Whether none of its processes runs. */
    boolean isStill() throws IOException {
        return whole && running().isEmpty();
    }

    /** Why not, for people; empty when it is still. */
    String hindrance() throws IOException {
        List<Entry> running = running();
        if (!running.isEmpty()) {
            return "process " + running.getFirst().pid() + " does not stop";
        }
        return whole ? "" : "there are more and more processes";
    }

    private List<Entry> running() throws IOException {
        return those(Activity.RUNNING);
    }

    private List<Entry> those(Activity activity) throws IOException {
        List<Entry> those = new ArrayList<>();
        for (Entry process : seen.values()) {
            if (ProcessTable.activity(process) == activity) {
                those.add(process);
            }
        }
        return those;
    }

    /** The shell is not looked for in PATH: the program may have put another one there. */
    private void keep(List<Entry> processes) throws IOException {
        if (!processes.isEmpty()) {
            String backwards = numbers(processes.reversed());
            keepers.add(new Keeper(shell(KEEPER, numbers(processes), backwards), backwards));
        }
    }

    private static void signal(String name, String processes) throws IOException, InterruptedException {
        if (!processes.isEmpty()) {
            shell("kill -" + name + " $1", processes).waitFor(); // some may have ended meanwhile
        }
    }

    private static String numbers(List<Entry> processes) {
        return String.join(
                " ",
                processes.stream().map(process -> Long.toString(process.pid())).toList());
    }

    private static Process shell(String script, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
        command.addAll(List.of(words));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear(); // secrets may be in there, and others may look into a shell
        return builder.start();
    }

    @Override
    public void close() throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            for (Keeper keeper : keepers.reversed()) {
                keeper.shell().getOutputStream().close();
                if (keeper.shell().waitFor() != 0) {
                    signal("CONT", keeper.processes()); // it was killed
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
