package dev.sallyport.sandbox;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The made-up VMs, tasks and snapshots of a folder, a file each, which is there whole or not at all. */
final class FakeFolder {

    private static final String SUFFIX = ".vm";
    private static final String SNAPSHOT = ".snapshot";
    private static final String TASK = ".task";
    private static final String VARIABLE = "env.";
    private static final String MADE_WITH = "made_with.";
    private static final String RUNNING = "running";
    private static final String STOPPED = "stopped";

    private final Path dir;

    FakeFolder(Path dir) throws IOException {
        this.dir = Files.createDirectories(dir);
    }

    Map<VmId, FakeVm> read() throws IOException {
        Map<VmId, FakeVm> all = new TreeMap<>();
        for (Path file : files(SUFFIX)) {
            Properties properties = properties(file);
            all.put(new VmId(properties.getProperty("id")), vm(properties));
        }
        return all;
    }

    private List<Path> files(String suffix) throws IOException {
        try (Stream<Path> found = Files.list(dir)) {
            return found.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    private static Properties properties(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            properties.load(in);
        }
        return properties;
    }

    private static FakeVm vm(Properties from) throws IOException {
        VmSpec spec = new VmSpec(
                origin(from),
                new VmLimits(
                        Long.parseLong(from.getProperty("memory")),
                        Integer.parseInt(from.getProperty("cpu")),
                        Integer.parseInt(from.getProperty("processes")),
                        Long.parseLong(from.getProperty("disk"))),
                new NetworkLease((Inet4Address) InetAddress.getByName(from.getProperty("address"))),
                new GuestSetup(from.getProperty("hostname"), from.getProperty("key"), variables(from, MADE_WITH)));
        Observed state = switch (from.getProperty("state")) {
            case RUNNING -> new Observed.Running(Instant.EPOCH, new SshEndpoint("", 0)); // until it listens again
            case STOPPED -> new Observed.Stopped();
            default -> new Observed.Failed(from.getProperty("reason", ""));
        };
        return new FakeVm(spec, new GuestVariables(variables(from, VARIABLE)), state);
    }

    private static Map<String, String> variables(Properties from, String prefix) {
        Map<String, String> variables = new HashMap<>();
        from.stringPropertyNames().stream()
                .filter(name -> name.startsWith(prefix))
                .forEach(name -> variables.put(name.substring(prefix.length()), from.getProperty(name)));
        return variables;
    }

    private static Origin origin(Properties from) {
        String snapshot = from.getProperty("snapshot");
        return snapshot == null
                ? new Origin.OfImage(new ImageName(from.getProperty("image")))
                : new Origin.OfSnapshot(new SnapshotId(snapshot));
    }

    void write(VmId id, FakeVm vm) throws IOException {
        Properties properties = new Properties();
        VmSpec spec = vm.spec();
        properties.setProperty("id", id.value());
        switch (spec.origin()) {
            case Origin.OfImage image ->
                properties.setProperty("image", image.name().value());
            case Origin.OfSnapshot snapshot ->
                properties.setProperty("snapshot", snapshot.id().value());
        }
        properties.setProperty("memory", Long.toString(spec.limits().memoryBytes()));
        properties.setProperty("cpu", Integer.toString(spec.limits().cpuMillis()));
        properties.setProperty("processes", Integer.toString(spec.limits().processes()));
        properties.setProperty("disk", Long.toString(spec.limits().diskBytes()));
        properties.setProperty("address", spec.network().address().getHostAddress());
        properties.setProperty("hostname", spec.guest().hostname());
        properties.setProperty("key", spec.guest().authorizedKey());
        spec.guest().environment().forEach((name, value) -> properties.setProperty(MADE_WITH + name, value));
        vm.variables().values().forEach((name, value) -> properties.setProperty(VARIABLE + name, value));
        properties.setProperty("state", vm.state() instanceof Observed.Running ? RUNNING : STOPPED);
        if (vm.state() instanceof Observed.Failed failed) {
            properties.setProperty("state", "failed");
            properties.setProperty("reason", failed.reason());
        }
        write(file(id), properties);
    }

    private static void write(Path file, Properties properties) throws IOException {
        Path made = file.resolveSibling(file.getFileName() + ".new");
        try (Writer out = Files.newBufferedWriter(made)) {
            properties.store(out, null);
        }
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    void delete(VmId id) throws IOException {
        Files.deleteIfExists(file(id));
    }

    Map<SnapshotId, FakeSnapshots.Held> readSnapshots() throws IOException {
        Map<SnapshotId, FakeSnapshots.Held> all = new TreeMap<>();
        for (Path file : files(SNAPSHOT)) {
            Properties properties = properties(file);
            all.put(
                    new SnapshotId(properties.getProperty("id")),
                    new FakeSnapshots.Held(
                            new VmId(properties.getProperty("vm")),
                            Boolean.parseBoolean(properties.getProperty("sealed"))));
        }
        return all;
    }

    void write(SnapshotId id, FakeSnapshots.Held held) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("id", id.value());
        properties.setProperty("vm", held.vm().value());
        properties.setProperty("sealed", Boolean.toString(held.sealed()));
        write(file(id), properties);
    }

    void delete(SnapshotId id) throws IOException {
        Files.deleteIfExists(file(id));
    }

    Map<VmId, Map<TaskName, FakeProgram>> readTasks() throws IOException {
        Map<VmId, Map<TaskName, FakeProgram>> all = new TreeMap<>();
        for (Path file : files(TASK)) {
            Properties properties = properties(file);
            String code = properties.getProperty("code");
            all.computeIfAbsent(new VmId(properties.getProperty("vm")), none -> new TreeMap<>())
                    .put(
                            new TaskName(properties.getProperty("name")),
                            new FakeProgram(
                                    properties.getProperty("output"), code == null ? null : Integer.valueOf(code)));
        }
        return all;
    }

    void write(VmId vm, TaskName name, FakeProgram program) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("vm", vm.value());
        properties.setProperty("name", name.value());
        properties.setProperty("output", program.output());
        if (program.code() != null) {
            properties.setProperty("code", program.code().toString());
        }
        write(file(vm, name), properties);
    }

    void delete(VmId vm, TaskName name) throws IOException {
        Files.deleteIfExists(file(vm, name));
    }

    private Path file(VmId vm, TaskName name) {
        return dir.resolve(vm + "." + name + TASK);
    }

    private Path file(SnapshotId id) {
        return dir.resolve(id + SNAPSHOT);
    }

    private Path file(VmId id) {
        return dir.resolve(id + SUFFIX);
    }
}
