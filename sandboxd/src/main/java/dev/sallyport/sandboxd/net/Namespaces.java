package dev.sallyport.sandboxd.net;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import dev.sallyport.sandboxd.system.Apart;
import dev.sallyport.sandboxd.system.Calls;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Network namespaces with names, each a file in a folder at which it is mounted, as {@code ip netns} has them. What is done in
 * one is done by a thread of its own, which ends with it: none comes back from a namespace. For any number of threads.
 */
final class Namespaces {

    private static final Path FOLDER = Path.of("/run/netns");
    private static final Path OF_THREAD = Path.of("/proc/thread-self/ns/net");
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int MS_BIND = 0x1000;
    private static final int MS_REC = 0x4000;
    private static final int MS_SHARED = 0x100000;
    private static final int MNT_DETACH = 2;

    private Namespaces() {}

    /** What is done in a namespace. */
    interface Work {

        /**
         * Does it, on a thread that is in the namespace and ends with this.
         *
         * @param calls those of this thread
         * @param outside the namespace of this process, as a descriptor
         */
        void in(SystemCalls calls, int outside) throws IOException;
    }

    /** Where a namespace with a name is. */
    static Path file(String name) {
        return FOLDER.resolve(name);
    }

    /** Makes a namespace with a name, after something is done in it; where that fails, there is none. */
    static void add(String name, Work work) throws IOException {
        apart(name, (calls, outside) -> {
            share(calls);
            calls.make("making the network namespace " + name, Call.UNSHARE, CLONE_NEWNET);
            work.in(calls, outside);
            Files.createFile(file(name));
            mount(calls, OF_THREAD.toString(), file(name), MS_BIND);
        });
    }

    /**
     * Has the folder as {@code ip netns} wants it: a mount that other mount namespaces see. ip would mount it over itself, and
     * what is in it would have two mounts, of which one is removed.
     */
    private static synchronized void share(SystemCalls calls) throws IOException {
        Files.createDirectories(FOLDER);
        try {
            mount(calls, "", FOLDER, MS_SHARED | MS_REC);
        } catch (SystemCallException e) {
            if (e.errno() != SystemCallException.EINVAL) {
                throw e;
            }
            mount(calls, FOLDER.toString(), FOLDER, MS_BIND | MS_REC);
            mount(calls, "", FOLDER, MS_SHARED | MS_REC);
        }
    }

    private static void mount(SystemCalls calls, String from, Path to, int flags) throws SystemCallException {
        calls.makeWith(
                "mounting " + to,
                Call.MOUNT,
                SystemCalls.text(from),
                SystemCalls.text(to.toString()),
                SystemCalls.text("none"),
                flags,
                0);
    }

    /** Does something in a namespace that is there. */
    static void in(String name, Work work) throws IOException {
        apart(name, (calls, outside) -> {
            int namespace = calls.open(file(name), 0);
            try {
                calls.make("entering the network namespace " + name, Call.SETNS, namespace, CLONE_NEWNET);
            } finally {
                calls.close(namespace);
            }
            work.in(calls, outside);
        });
    }

    private static void apart(String name, Work work) throws IOException {
        Apart.call(name, calls -> {
            int outside = calls.open(OF_THREAD, 0);
            try {
                work.in(calls, outside);
            } finally {
                calls.close(outside);
            }
            return true;
        });
    }

    /** Removes a namespace; it ends with the last that is in it. One that is not there is no error. */
    static void delete(String name) throws IOException {
        Path file = file(name);
        if (Files.exists(file)) {
            unmount(file);
            Files.delete(file);
        }
    }

    private static void unmount(Path file) throws IOException {
        try {
            Calls.open()
                    .makeWith(
                            "unmounting the network namespace " + file,
                            Call.UMOUNT2,
                            SystemCalls.text(file.toString()),
                            MNT_DETACH);
        } catch (SystemCallException e) {
            if (e.errno() != SystemCallException.EINVAL) { // nothing was mounted there yet
                throw e;
            }
        }
    }

    /** The names that begin with something. */
    static List<String> names(String prefix) throws IOException {
        if (!Files.isDirectory(FOLDER)) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(FOLDER, prefix + "*")) {
            found.forEach(path -> names.add(path.getFileName().toString()));
        }
        return names;
    }
}
