package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandboxd.Kernels;
import dev.sallyport.sandboxd.Sandboxd;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.image.ImageStore;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A machine inside this one, with sandboxd and a {@link SandboxMachine}; its API is called by curl. Needs root, what
 * the driver needs, and an image in {@code TEST_SANDBOX_IMAGE}.
 */
final class ScenarioMachine implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String API = "http://127.0.0.1:8090";
    private static final String CGROUP =
            "/sallyport-scenario-" + ProcessHandle.current().pid();

    private final Map<Class<?>, Process> programs = new LinkedHashMap<>();
    private final String driver;
    private final Path folder;
    private final Process holder;
    private String token = "";

    private ScenarioMachine(String driver, Path folder, Process holder) {
        this.driver = driver;
        this.folder = folder;
        this.holder = holder;
    }

    /** One with sandboxd, gate and control plane; skips the test where there can be none. */
    static ScenarioMachine open(String driver) throws Exception {
        String archive = System.getenv("TEST_SANDBOX_IMAGE");
        assumeTrue(archive != null, "needs TEST_SANDBOX_IMAGE");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        switch (driver) {
            case "oci" -> Tools.require("runc");
            case "qemu" -> Tools.require("qemu-system-x86_64", "qemu-img", "dpkg-deb");
            default -> throw new IllegalArgumentException(driver);
        }
        Tools.require("ip", "nft", "mke2fs", "nsenter", "unshare", "sysctl", "ssh", "ssh-keygen", "curl");
        Path folder = Files.createTempDirectory("svs");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Process holder = new ProcessBuilder(
                        "unshare",
                        "--net",
                        "--mount",
                        "sh",
                        "-c",
                        "mount -t tmpfs tmpfs /run && ip link set lo up && ip addr add 10.99.2.1/32 dev lo"
                                + " && ip addr add 10.99.2.2/32 dev lo && ip addr add 10.99.2.3/32 dev lo && echo ready && exec cat")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assumeTrue("ready".equals(holder.inputReader().readLine()), "needs network namespaces");
        ScenarioMachine machine = new ScenarioMachine(driver, folder, holder);
        try {
            machine.start(archive);
            return machine;
        } catch (Exception | Error e) {
            machine.close();
            throw e;
        }
    }

    private void start(String archive) throws Exception {
        new ImageStore(folder.resolve("images"), IdRange.DEFAULT).add(new ImageName("test"), Path.of(archive));
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
        begin(
                "listens",
                Sandboxd.class,
                "--socket",
                folder.resolve("s").toString(),
                "--dir",
                folder.toString(),
                "--run-dir",
                "/run/sandboxd",
                "--cgroup",
                CGROUP,
                "--driver",
                driver);
        beginControlPlane();
    }

    private void bringKernel() throws Exception {
        String packages = System.getenv("TEST_SANDBOX_KERNEL");
        new Kernels(HostSettings.of(Map.of("dir", folder.toString())))
                .build(
                        packages == null
                                ? List.of()
                                : Stream.of(packages.split(",", -1))
                                        .map(Path::of)
                                        .toList());
    }

    private void beginControlPlane() throws IOException, InterruptedException {
        begin("the machine stands", SandboxMachine.class, folder.toString(), driver);
    }

    /** Ends gate and control plane as kill -9 does, and starts them again. */
    void killControlPlane() throws IOException, InterruptedException {
        Process program = programs.get(SandboxMachine.class);
        if (program != null) {
            program.destroyForcibly().waitFor();
        }
        beginControlPlane();
    }

    /** Starts a program in the machine, and returns when it has printed this. */
    void begin(String sign, Class<?> type, String... arguments) throws IOException, InterruptedException {
        Path log = folder.resolve(type.getSimpleName() + ".log");
        Process program = new ProcessBuilder(inside(Tools.java(type, arguments)))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        programs.put(type, program);
        while (!Files.readString(log).contains(sign)) {
            assertThat(program.isAlive()).as(Files.readString(log)).isTrue();
            Thread.sleep(20);
        }
    }

    List<String> inside(List<String> command) {
        return Stream.concat(
                        Stream.of("nsenter", "--net", "--mount", "--target=" + holder.pid(), "--"), command.stream())
                .toList();
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

    /** What a program has printed. */
    String log(Class<?> type) throws IOException {
        return Files.readString(folder.resolve(type.getSimpleName() + ".log"));
    }

    @Override
    public void close() throws Exception {
        for (Process program : List.copyOf(programs.values()).reversed()) {
            program.destroy();
            assertThat(program.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        holder.destroyForcibly().waitFor();
        Tools.run("rm", "-rf", "--one-file-system", "--", folder.toString());
    }

    /** A call by curl. */
    JsonNode api(String method, String path, String body) throws Exception {
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "-X", method, API + path));
        if (!body.isEmpty()) {
            command.addAll(List.of("-H", "Content-Type: application/json", "-d", body));
        }
        if (!token.isEmpty()) {
            command.addAll(List.of("-H", "Authorization: Bearer " + token));
        }
        String answer = Tools.run(inside(command));
        return answer.isEmpty() ? JSON.nullNode() : JSON.readTree(answer);
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
            try (Stream<Path> files = Files.list(folder.resolve(name))) {
                left = files.toList();
            }
        }
        assertThat(left).isEmpty();
    }
}
