package dev.sallyport.sandbox;

import dev.sallyport.sandbox.VmException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The made-up tasks of a {@link FakeDriver}, which lets one thread at a time use them. */
final class FakeTasks {

    private final Map<VmId, Map<TaskName, Run>> runs = new HashMap<>();
    private final @Nullable FakeFolder folder;
    private BiFunction<TaskName, GuestTask, FakeProgram> programs = FakeTasks::program;

    /**
     * A task that was started.
     *
     * @param task null for one of a process before this
     */
    private record Run(@Nullable GuestTask task, FakeProgram done) {

        Run as(FakeProgram next) {
            return new Run(task, next);
        }
    }

    /** @param folder where they are kept; null for nowhere */
    FakeTasks(@Nullable FakeFolder folder) throws IOException {
        this(folder, folder == null ? Map.of() : folder.readTasks());
    }

    private FakeTasks(@Nullable FakeFolder folder, Map<VmId, Map<TaskName, FakeProgram>> kept) {
        this.folder = folder;
        kept.forEach((vm, tasks) -> {
            Map<TaskName, Run> all = runs.computeIfAbsent(vm, none -> new TreeMap<>());
            tasks.forEach((name, program) -> all.put(name, new Run(null, program)));
        });
    }

    /** In memory. */
    static FakeTasks inMemory() {
        return new FakeTasks(null, Map.of());
    }

    /** A made-up guest has a made-up repository. */
    private static FakeProgram program(TaskName name, GuestTask task) {
        String output = "";
        if (task.command().contains("rev-parse")) {
            output = "0".repeat(40) + "\nmain\n";
        } else if (task.command().contains("diff")) {
            output = "diff --git a/new b/new\nnew file mode 100644\n";
        }
        return new FakeProgram(output, 0);
    }

    void programs(BiFunction<TaskName, GuestTask, FakeProgram> other) {
        programs = other;
    }

    void run(VmId vm, TaskName name, GuestTask task) throws VmException {
        if (!runs.getOrDefault(vm, Map.of()).containsKey(name)) {
            keep(vm, name, new Run(task, programs.apply(name, task)));
        }
    }

    TaskReport report(VmId vm, TaskName name, long offset, int most) {
        Run run = runs.getOrDefault(vm, Map.of()).get(name);
        if (run == null) {
            return TaskReport.absent();
        }
        Integer code = run.done().code();
        byte[] all = run.done().output().getBytes(StandardCharsets.UTF_8);
        int from = (int) Math.min(offset, all.length);
        return new TaskReport(
                code == null ? new TaskReport.State.Running() : new TaskReport.State.Ended(code),
                from,
                Arrays.copyOfRange(all, from, Math.min(all.length, from + most)));
    }

    Optional<GuestTask> find(VmId vm, TaskName name) {
        return Optional.ofNullable(runs.getOrDefault(vm, Map.of()).get(name)).map(Run::task);
    }

    void write(VmId vm, TaskName name, String text) throws VmException {
        Run run = require(vm, name);
        keep(
                vm,
                name,
                run.as(new FakeProgram(run.done().output() + text, run.done().code())));
    }

    void end(VmId vm, TaskName name, int code) throws VmException {
        Run run = require(vm, name);
        keep(vm, name, run.as(new FakeProgram(run.done().output(), code)));
    }

    /** A guest has ended, and everything that ran in it. */
    void forget(VmId vm) throws VmException {
        Map<TaskName, Run> all = runs.remove(vm);
        if (all != null && folder != null) {
            try {
                for (TaskName name : all.keySet()) {
                    folder.delete(vm, name);
                }
            } catch (IOException e) {
                throw failed(vm, e);
            }
        }
    }

    private void keep(VmId vm, TaskName name, Run run) throws VmException {
        try {
            if (folder != null) {
                folder.write(vm, name, run.done());
            }
        } catch (IOException e) {
            throw failed(vm, e);
        }
        runs.computeIfAbsent(vm, none -> new TreeMap<>()).put(name, run);
    }

    private static VmException failed(VmId vm, IOException e) {
        return new VmException(Reason.FAILED, "VM " + vm + ": " + e.getMessage(), e);
    }

    private Run require(VmId vm, TaskName name) {
        Run run = runs.getOrDefault(vm, Map.of()).get(name);
        if (run == null) {
            throw new IllegalArgumentException("there is no task " + name + " in VM " + vm);
        }
        return run;
    }
}
