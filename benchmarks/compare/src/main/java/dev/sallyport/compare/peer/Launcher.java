package dev.sallyport.compare.peer;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Starts peers. */
public final class Launcher {

    /** Those that are not there do not count. */
    private static final String ALL_CORES = "0-1023";

    private static final long READY_SECONDS = 60;
    private static final long PREPARE_SECONDS = 120;

    private final Environment environment;
    private int started;

    public Launcher(Environment environment) {
        this.environment = environment;
    }

    /** What keeps a peer from being measured on this machine; empty if nothing does. */
    public String missing(Peer peer) {
        Map<String, String> values = new HashMap<>(environment.values());
        for (String need : peer.needs()) {
            String file = Template.fill(need, values);
            if (Commands.find(file) == null) {
                return file + " is not there" + (peer.install().isEmpty() ? "" : " (" + peer.install() + ")");
            }
        }
        return "";
    }

    /** The first line that the peer says about its version; or why it says none. */
    public String version(Peer peer) throws InterruptedException {
        if (peer.version().isEmpty()) {
            return "";
        }
        try {
            return Commands.shell(Template.fill(peer.version(), environment.values()), Map.of(), 60)
                    .lines()
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * Starts a peer and waits until it accepts connections.
     *
     * @param policy which of its configurations
     * @param jvm more options for the JVM of peers that understand them
     * @param pinned whether it gets the processors of proxies only
     * @throws IOException if it does not get that far; with the end of what it printed
     */
    public Running start(Peer peer, String policy, String jvm, boolean pinned)
            throws IOException, InterruptedException {
        Path work = freshFolder(peer.name() + "-" + policy);
        Map<String, String> values = new HashMap<>(environment.values());
        int port = freePort();
        values.put("port", Integer.toString(port));
        values.put("other_port", Integer.toString(freePort()));
        int dnsPort = freePort();
        values.put("dns_port", Integer.toString(dnsPort));
        values.put("work", work.toString());
        values.put("policy", policy);
        values.put("jvm", jvm);
        for (Map.Entry<String, String> file : peer.files().entrySet()) {
            Path path = work.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, Template.fill(file.getValue(), values));
        }
        for (String command : peer.prepare()) {
            Commands.shell(Template.fill(command, values), Map.of(), PREPARE_SECONDS);
        }
        ProcessBuilder builder = new ProcessBuilder(command(Template.fill(peer.start(), values), pinned))
                .directory(work.toFile())
                .redirectInput(new File("/dev/null"))
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(work.resolve("stdout").toFile()))
                .redirectError(work.resolve("stderr").toFile());
        peer.environment().forEach((name, value) -> builder.environment().put(name, Template.fill(value, values)));
        long began = System.nanoTime();
        Process process = builder.start();
        Running running = new Running(process, port, dnsPort, work);
        try {
            awaitReady(running, began);
            return running;
        } catch (IOException | InterruptedException | RuntimeException e) {
            running.close();
            throw e;
        }
    }

    /** One that no earlier part of the run has left: some peers refuse a folder that is not empty. */
    private Path freshFolder(String name) throws IOException {
        Path all = environment.folder().resolve("work");
        Path folder;
        do {
            started++;
            folder = all.resolve(started + "-" + name);
        } while (Files.exists(folder));
        return Files.createDirectories(folder);
    }

    /** Every link of the chain replaces itself, so that the process is the proxy. */
    private List<String> command(String start, boolean pinned) {
        List<String> command = new ArrayList<>();
        if (!environment.proxyCores().isEmpty()) {
            command.addAll(List.of("taskset", "-c", pinned ? environment.proxyCores() : ALL_CORES));
        }
        if (!environment.resolver().isEmpty()) {
            command.addAll(List.of("unshare", "--mount"));
        }
        String names = environment.resolver().isEmpty()
                ? ""
                : "mount --bind '" + environment.resolver() + "' /etc/resolv.conf && ";
        command.addAll(List.of("sh", "-c", names + "exec " + start));
        return command;
    }

    private static void awaitReady(Running running, long began) throws IOException, InterruptedException {
        long deadline = began + TimeUnit.SECONDS.toNanos(READY_SECONDS);
        while (System.nanoTime() < deadline) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), running.port()), 1000);
                running.readyAfter((System.nanoTime() - began) / 1e6);
                return;
            } catch (IOException notYet) {
                if (!running.alive()) {
                    throw new IOException("it ended at once: " + running.lastWords(), notYet);
                }
                Thread.sleep(1);
            }
        }
        throw new IOException("not ready after " + READY_SECONDS + " s: " + running.lastWords());
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
