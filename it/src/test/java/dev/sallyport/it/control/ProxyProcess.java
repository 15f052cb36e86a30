package dev.sallyport.it.control;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A proxy in a process of its own, which can be killed. */
final class ProxyProcess implements AutoCloseable {

    private static final long START_SECONDS = 60;

    private final Path folder;
    private final int heapMebibytes;
    private @Nullable Process process;

    /** @param sections of its configuration, beside those of its listener */
    ProxyProcess(Path folder, String token, String sections) throws Exception {
        this(folder, token, sections, 256);
    }

    /** As above, with so much heap. */
    ProxyProcess(Path folder, String token, String sections, int heapMebibytes) throws Exception {
        this.folder = folder;
        this.heapMebibytes = heapMebibytes;
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("token"), token);
        Files.writeString(
                folder.resolve("proxy.yaml"),
                "dns: {enabled: false}\nmetrics: {listen: disabled}\n"
                        + "proxy: {http_listen: 127.0.0.1:0, https_listen: disabled, tunnel_listen: disabled, upstream_deny_cidrs: []}\n"
                        + "tls: {mode: sni-only}\n" + sections);
        start();
    }

    /** The process: the folder. It runs until it is killed. */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        EgressProxy proxy = EgressProxy.builder()
                .catalog(ControlSite.catalog())
                .configText("proxy.yaml", Files.readString(folder.resolve("proxy.yaml")))
                .environment(Map.of(ControlSite.TOKEN, Files.readString(folder.resolve("token"))))
                .auditSink(AuditSinks.none())
                .build();
        proxy.start();
        Path port = folder.resolve("port.new");
        Files.writeString(port, String.valueOf(proxy.httpAddress().getPort()));
        Files.move(port, folder.resolve("port"), StandardCopyOption.ATOMIC_MOVE);
        new CountDownLatch(1).await();
    }

    void start() throws Exception {
        Files.deleteIfExists(folder.resolve("port"));
        Path log = folder.resolve("proxy.log");
        Process started = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx" + heapMebibytes + "m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ProxyProcess.class.getName(),
                        folder.toString()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        process = started;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!Files.exists(folder.resolve("port"))) {
            if (System.nanoTime() > end || !started.isAlive()) {
                throw new IllegalStateException("it does not start: " + Files.readString(log));
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    InetSocketAddress address() throws IOException {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(),
                Integer.parseInt(Files.readString(folder.resolve("port")).strip()));
    }

    /** The number of the process. */
    long pid() {
        return Objects.requireNonNull(process).pid();
    }

    /** Ends it as kill -9 does. */
    void kill() throws InterruptedException {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().waitFor();
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
