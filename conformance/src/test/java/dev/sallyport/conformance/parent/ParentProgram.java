package dev.sallyport.conformance.parent;

import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A proxy of somebody else's, on a loopback port that stays the same when it is started again. */
final class ParentProgram implements AutoCloseable {

    static final String USER = "ann";
    static final String PASSWORD = "s3cr3t-of-the-parent";

    private final List<String> command;
    private final Path folder;
    private final int port;
    private Process process;

    private ParentProgram(Path folder, int port, List<String> command) throws Exception {
        this.folder = folder;
        this.port = port;
        this.command = command;
        this.process = start();
    }

    /** Squid; any port may be connected to. */
    static ParentProgram squid(Path folder, boolean password) throws Exception {
        int port = Ports.unused();
        Path logs = Files.createDirectories(folder.resolve("squid"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(logs, PosixFilePermissions.fromString("rwxrwxrwx"));
        String access = "http_access allow all";
        if (password) {
            Path helper = Files.writeString(logs.resolve("helper"), """
                    #!/bin/sh
                    while read -r user password; do
                      if [ "$user" = %s ] && [ "$password" = %s ]; then echo OK; else echo ERR; fi
                    done
                    """.formatted(USER, PASSWORD));
            Files.setPosixFilePermissions(helper, PosixFilePermissions.fromString("rwxr-xr-x"));
            access = """
                    auth_param basic program %s
                    acl known proxy_auth REQUIRED
                    http_access allow known
                    http_access deny all""".formatted(helper);
        }
        Path config = Files.writeString(logs.resolve("squid.conf"), """
                http_port 127.0.0.1:%d
                %s
                cache deny all
                access_log none
                cache_log %s/cache.log
                pid_filename none
                coredump_dir %s
                shutdown_lifetime 0 seconds
                via on
                """.formatted(port, access, logs, logs));
        return new ParentProgram(folder, port, List.of("squid", "-N", "-f", config.toString()));
    }

    static ParentProgram tinyproxy(Path folder) throws Exception {
        int port = Ports.unused();
        Path config = Files.writeString(folder.resolve("tinyproxy.conf"), """
                Port %d
                Listen 127.0.0.1
                MaxClients 200
                Timeout 60
                Allow 127.0.0.1
                BasicAuth %s %s
                """.formatted(port, USER, PASSWORD));
        return new ParentProgram(folder, port, List.of("tinyproxy", "-d", "-c", config.toString()));
    }

    static ParentProgram microsocks(Path folder) throws Exception {
        int port = Ports.unused();
        return new ParentProgram(
                folder, port, List.of("microsocks", "-i", "127.0.0.1", "-p", "" + port, "-u", USER, "-P", PASSWORD));
    }

    int port() {
        return port;
    }

    private Process start() throws Exception {
        Process started = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("parent.log").toFile()))
                .start();
        for (int i = 0; i < 600; i++) {
            if (!started.isAlive()) {
                throw new AssertionError(command + " ended: " + Files.readString(folder.resolve("parent.log")));
            }
            try (Socket there = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return started;
            } catch (IOException e) {
                Thread.sleep(50);
            }
        }
        started.destroyForcibly();
        throw new AssertionError(command + " does not listen");
    }

    /** Kills it. */
    void kill() throws Exception {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.waitFor(Patience.SECONDS, TimeUnit.SECONDS);
    }

    /** Starts it anew. */
    void revive() throws Exception {
        process = start();
    }

    @Override
    public void close() throws Exception {
        kill();
    }
}
