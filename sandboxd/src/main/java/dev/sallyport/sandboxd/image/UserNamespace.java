package dev.sallyport.sandboxd.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A user namespace, held open by a process that only waits. What runs in it as root is nobody outside. */
final class UserNamespace implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Process holder;

    private UserNamespace(Process holder) {
        this.holder = holder;
    }

    static UserNamespace open(IdRange ids) throws IOException, InterruptedException {
        Process holder = new ProcessBuilder("unshare", "--user", "--", "cat")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        UserNamespace namespace = new UserNamespace(holder);
        try {
            namespace.awaitOwn();
            Files.writeString(namespace.file("uid_map"), ids.mapping());
            Files.writeString(namespace.file("gid_map"), ids.mapping());
            return namespace;
        } catch (IOException | InterruptedException e) {
            namespace.close();
            throw e;
        }
    }

    /** The command that runs a command in it, as root. */
    List<String> command(List<String> command) {
        List<String> all = new ArrayList<>(
                List.of("nsenter", "--user=" + file("ns/user"), "--setuid", "0", "--setgid", "0", "--"));
        all.addAll(command);
        return all;
    }

    private void awaitOwn() throws IOException, InterruptedException {
        Path ours = Files.readSymbolicLink(Path.of("/proc/self/ns/user"));
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (Files.readSymbolicLink(existing(file("ns/user"))).equals(ours)) {
            if (System.nanoTime() > deadline) {
                throw new IOException("unshare made no user namespace in " + LIMIT.toSeconds() + " s");
            }
            Thread.sleep(2);
        }
    }

    private Path existing(Path path) throws IOException {
        if (!holder.isAlive()) {
            throw new NoSuchFileException(
                    "/proc",
                    null,
                    "unshare --user ended with " + holder.exitValue() + " (expected: a kernel that allows it)");
        }
        return path;
    }

    private Path file(String name) {
        return Path.of("/proc", Long.toString(holder.pid())).resolve(name);
    }

    @Override
    public void close() {
        holder.destroyForcibly();
    }
}
