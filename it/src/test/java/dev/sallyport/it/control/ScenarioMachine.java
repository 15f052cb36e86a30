package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.Kernels;
import dev.sallyport.sandboxd.Sandboxd;
import dev.sallyport.sandboxd.client.SandboxdDriver;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.image.ImageStore;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.testsupport.GuestTraces;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A machine inside this one, with sandboxd and a {@link SandboxMachine}; its API is called by curl. Needs root, what
 * the driver needs, and an image in {@code TEST_SANDBOX_IMAGE}.
 */
final class ScenarioMachine implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String API = "http://127.0.0.1:8090";

    /** How curl ends when nobody listens (curl(1)). */
    private static final int COULD_NOT_CONNECT = 7;

    private static final String CGROUP =
            "/sallyport-scenario-" + ProcessHandle.current().pid();

    private final Map<Class<?>, Process> programs = new LinkedHashMap<>();

    /** How often each was started. */
    private final Map<Class<?>, Integer> runs = new HashMap<>();

    private final String driver;
    private final Path folder;

    /** Of sandboxd. */
    private final Path dir;

    private ScenarioKernel kernel;
    private String token = "";

    private ScenarioMachine(String driver, Path folder, Path dir) throws IOException {
        this.driver = driver;
        this.folder = folder;
        this.dir = dir;
        this.kernel = ScenarioKernel.boot(dir, CGROUP);
    }

    /** One with sandboxd, gate and control plane; skips the test where there can be none. */
    static ScenarioMachine open(String driver) throws Exception {
        return open(driver, null);
    }

    /**
     * The same.
     *
     * @param disk where the folder of sandboxd is to be; null: in that of the machine
     */
    static ScenarioMachine open(String driver, @Nullable Path disk) throws Exception {
        String archive = System.getenv("TEST_SANDBOX_IMAGE");
        assumeTrue(archive != null, "needs TEST_SANDBOX_IMAGE");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        switch (driver) {
            case "oci" -> Tools.requireOneOf("crun", "runc");
            case "qemu" -> Tools.require("qemu-system-x86_64", "qemu-img", "dpkg-deb");
            default -> throw new IllegalArgumentException(driver);
        }
        Tools.require("ip", "nft", "mke2fs", "nsenter", "unshare", "ssh", "ssh-keygen", "curl");
        Path folder = Files.createTempDirectory("svs");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        ScenarioMachine machine = new ScenarioMachine(driver, folder, disk == null ? folder : disk);
        try {
            machine.start(archive);
            return machine;
        } catch (Exception | Error e) {
            machine.close();
            throw e;
        }
    }

    private void start(String archive) throws Exception {
        new ImageStore(dir.resolve("images"), IdRange.DEFAULT).add(new ImageName("test"), Path.of(archive));
        if (driver.equals("qemu")) {
            bringKernel();
        }
        Tools.run(
                "ssh-keygen",
                "-q",
                "-t",
                "ed25519",
                "-N",
                "",
                "-C",
                "test",
                "-f",
                folder.resolve("id").toString());
        beginSandboxd();
        beginControlPlane();
    }

    private void bringKernel() throws Exception {
        String packages = System.getenv("TEST_SANDBOX_KERNEL");
        new Kernels(HostSettings.of(Map.of("dir", dir.toString())))
                .build(
                        packages == null
                                ? List.of()
                                : Stream.of(packages.split(",", -1))
                                        .map(Path::of)
                                        .toList());
    }

    /** Starts sandboxd, and returns before it stands. */
    void launchSandboxd() throws IOException {
        launch(
                Sandboxd.class,
                "--socket",
                socket().toString(),
                "--dir",
                dir.toString(),
                "--run-dir",
                GuestTraces.RUN_FOLDER,
                "--cgroup",
                CGROUP,
                "--driver",
                driver,
                "--ca-cert",
                folder.resolve("ca.pem").toString());
    }

    /** Starts sandboxd, and returns when it listens. */
    void beginSandboxd() throws IOException, InterruptedException {
        launchSandboxd();
        await(Sandboxd.class, "listens");
    }

    /** Starts gate and control plane, and returns before they stand. */
    void launchControlPlane() throws IOException {
        launch(SandboxMachine.class, folder.toString(), driver);
    }

    /** Starts gate and control plane, and returns when they answer. */
    void beginControlPlane() throws IOException, InterruptedException {
        launchControlPlane();
        awaitControlPlane();
    }

    /** Returns when gate and control plane answer. */
    void awaitControlPlane() throws IOException, InterruptedException {
        await(SandboxMachine.class, "the machine stands");
    }

    /** Ends gate and control plane as kill -9 does, and starts them again. */
    void killControlPlane() throws IOException, InterruptedException {
        kill(SandboxMachine.class);
        beginControlPlane();
    }

    /** Ends a program as kill -9 does. */
    void kill(Class<?> type) throws InterruptedException {
        Process program = programs.get(type);
        if (program != null) {
            program.destroyForcibly().waitFor();
        }
    }

    /** Starts a program in the machine, and returns when it has printed this. */
    void begin(String sign, Class<?> type, String... arguments) throws IOException, InterruptedException {
        launch(type, arguments);
        await(type, sign);
    }

    private void launch(Class<?> type, String... arguments) throws IOException {
        Path log = log(type, runs.merge(type, 1, Integer::sum));
        programs.put(
                type,
                new ProcessBuilder(inside(Tools.java(type, arguments)))
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start());
    }

    private void await(Class<?> type, String sign) throws IOException, InterruptedException {
        Path log = log(type, runs.getOrDefault(type, 0));
        Process program = programs.get(type);
        while (!Files.readString(log).contains(sign)) {
            assertThat(program.isAlive()).as(Files.readString(log)).isTrue();
            Thread.sleep(20);
        }
    }

    private Path log(Class<?> type, int run) {
        return folder.resolve(type.getSimpleName() + "-" + run + ".log");
    }

    private Path socket() {
        return folder.resolve("s");
    }

    List<String> inside(List<String> command) {
        return kernel.inside(command);
    }

    /** Ends all that a loss of power ends. Files stay. */
    void losePower() throws IOException, InterruptedException {
        kernel.losePower();
        for (Process program : programs.values()) {
            program.waitFor();
        }
        kernel = ScenarioKernel.boot(dir, CGROUP);
    }

    /** Runs a program in the machine to its end; returns what it printed. */
    String run(String... command) throws IOException, InterruptedException {
        return Tools.run(inside(List.of(command)));
    }

    /** The key of the account. */
    String token() {
        return token;
    }

    static JsonNode json(String text) throws IOException {
        return JSON.readTree(text);
    }

    Path folder() {
        return folder;
    }

    /** What a program has printed since it was started last. */
    String log(Class<?> type) throws IOException {
        return Files.readString(log(type, runs.getOrDefault(type, 0)));
    }

    /** What the origins and the name server of the machine were asked. */
    String world() throws IOException {
        return Files.readString(folder.resolve(SandboxMachine.WORLD));
    }

    /** What guests have in the machine. */
    GuestTraces traces() {
        return new GuestTraces(this::inside, dir, CGROUP);
    }

    /** What runs in the machine, guests included, as proc(5) has it in {@code stat}; without what holds it. */
    List<String> processes() {
        return kernel.processes().stream()
                .map(process -> ScenarioKernel.tell(process, "stat"))
                .toList();
    }

    /** Ends a program in good order. */
    void end(Class<?> type) throws InterruptedException {
        Process program = programs.remove(type);
        if (program != null) {
            program.destroy();
            assertThat(program.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Guests outlive sandboxd: those that a test has left are removed before. */
    private void removeGuests() throws Exception {
        Process sandboxd = programs.get(Sandboxd.class);
        if (sandboxd == null) {
            return;
        }
        if (!sandboxd.isAlive()) {
            beginSandboxd();
        }
        SandboxdDriver guests = new SandboxdDriver(socket());
        for (VmId id : guests.observeAll().keySet()) {
            guests.destroy(id);
        }
    }

    @Override
    public void close() throws Exception {
        for (Class<?> type : List.copyOf(programs.keySet()).reversed()) {
            if (type.equals(Sandboxd.class)) {
                removeGuests();
            }
            end(type);
        }
        kernel.close();
        Tools.run("rm", "-rf", "--one-file-system", "--", folder.toString());
    }

    /** A call by curl. */
    JsonNode api(String method, String path, String body) throws Exception {
        String answer = Tools.run(curl(method, path, body));
        return answer.isEmpty() ? JSON.nullNode() : JSON.readTree(answer);
    }

    private List<String> curl(String method, String path, String body, String... more) {
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "-X", method, API + path));
        command.addAll(List.of(more));
        if (!body.isEmpty()) {
            command.addAll(List.of("-H", "Content-Type: application/json", "-d", body));
        }
        if (!token.isEmpty()) {
            command.addAll(List.of("-H", "Authorization: Bearer " + token));
        }
        return inside(command);
    }

    /**
     * What became of a call.
     *
     * @param status that of the answer; else {@link #CUT_OFF}, or {@link #NOT_ASKED}
     */
    record Outcome(int status, JsonNode body) {

        /** Nobody has answered, and what was asked for may have been taken. */
        static final int CUT_OFF = 0;

        /** Nobody was there to be asked. */
        static final int NOT_ASKED = -1;
    }

    /** A call of which the control plane may be killed. */
    Outcome attempt(String method, String path, String body) throws IOException, InterruptedException {
        Process curl = new ProcessBuilder(curl(method, path, body, "-m", "60", "-w", "\n%{http_code}"))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = curl.waitFor();
        if (code != 0) {
            return new Outcome(code == COULD_NOT_CONNECT ? Outcome.NOT_ASKED : Outcome.CUT_OFF, JSON.nullNode());
        }
        int end = printed.lastIndexOf('\n');
        return new Outcome(Integer.parseInt(printed.substring(end + 1)), JSON.readTree(printed.substring(0, end)));
    }

    /** A new account, whose key the calls that follow have. */
    void signUp(String email) throws Exception {
        token = "";
        token = api(
                        "POST",
                        "/v1/users",
                        "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"" + email
                                + "\", \"password\": \"correct horse\"}")
                .at("/api_key/token")
                .asText();
    }

    /** Waits until nothing is in a folder of sandboxd, which removes trees in the background. */
    void untilEmpty(String name) throws Exception {
        List<Path> left = List.of(folder);
        for (int i = 0; i < 600 && !left.isEmpty(); i++) {
            Thread.sleep(50);
            try (Stream<Path> files = Files.list(dir.resolve(name))) {
                left = files.toList();
            }
        }
        assertThat(left).isEmpty();
    }
}
