package dev.sallyport.compare.peer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A peer that runs, with all processes that it started. */
public final class Running implements AutoCloseable {

    private static final long STOP_SECONDS = 15;

    private final Process process;
    private final int port;
    private final int dnsPort;
    private final Path work;
    private final Thread atExit = new Thread(this::endAtOnce);
    private double readyMillis;

    Running(Process process, int port, int dnsPort, Path work) {
        this.process = process;
        this.port = port;
        this.dnsPort = dnsPort;
        this.work = work;
        // A run that is interrupted must not leave proxies behind: they would disturb the next one.
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    private void endAtOnce() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    public int port() {
        return port;
    }

    public int dnsPort() {
        return dnsPort;
    }

    public Path work() {
        return work;
    }

    void readyAfter(double millis) {
        readyMillis = millis;
    }

    /** How long it took from the start of the process until a connection was accepted. */
    public double readyMillis() {
        return readyMillis;
    }

    public boolean alive() {
        return process.isAlive();
    }

    private Stream<Long> pids() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .map(ProcessHandle::pid);
    }

    /** Processor time that the processes have used, user and system. */
    public double cpuSeconds() throws IOException {
        double seconds = 0;
        for (long pid : pids().toList()) {
            seconds += ProcFiles.cpuSeconds(pid);
        }
        return seconds;
    }

    /** Resident memory of the processes together. */
    public double rssMib() throws IOException {
        double mib = 0;
        for (long pid : pids().toList()) {
            mib += ProcFiles.rssMib(pid);
        }
        return mib;
    }

    /** Empties what the process has written to its standard output: audit logs grow by gigabytes. */
    public void truncateOutput() throws IOException {
        try (FileChannel channel = FileChannel.open(work.resolve("stdout"), StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
    }

    /** The end of what it printed. */
    public String lastWords() throws IOException {
        for (String name : List.of("stderr", "stdout")) {
            Path file = work.resolve(name);
            if (Files.exists(file) && Files.size(file) > 0 && Files.size(file) < 1 << 20) {
                String text =
                        Files.readString(file, StandardCharsets.ISO_8859_1).strip();
                return text.substring(Math.max(0, text.length() - 400)).replace('\n', ' ');
            }
        }
        return "it printed nothing";
    }

    @Override
    public void close() throws InterruptedException {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        children.forEach(ProcessHandle::destroyForcibly);
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
