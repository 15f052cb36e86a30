package dev.sallyport.server.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The UNIX sockets that lead outside of a namespace, and how they are masked: {@code /run} and the like whole, every other
 * socket that is found by itself.
 *
 * @param folders that are masked whole
 * @param sockets that are masked one by one
 * @param admitted that the program may reach
 * @param unlocated sockets that are known, but not by a path at which they could be masked; for people
 * @param table what was mounted when the plan was made
 */
record Masks(List<Path> folders, List<Path> sockets, List<Path> admitted, Set<String> unlocated, MountTable table) {

    /** Links in there lead to programs on some systems; nobody but root can make them. */
    static final Path RUN = Path.of("/run");

    /** Anybody could have made something else of these. */
    private static final List<Path> SHARED = List.of(Path.of("/tmp/.X11-unix"), Path.of("/tmp/.ICE-unix"));

    Masks {
        folders = List.copyOf(folders);
        sockets = List.copyOf(sockets);
        admitted = List.copyOf(admitted);
        unlocated = Set.copyOf(unlocated);
    }

    /**
     * Makes the plan. Blocks.
     *
     * @param admitted paths of sockets that the program may reach
     * @param environment of the program
     * @param working folder of the program, as the kernel has it
     * @param needed other folders that stay as they are
     * @throws UsageException when a path is no socket, or the working folder would be masked
     */
    static Masks plan(List<String> admitted, Map<String, String> environment, Path working, List<Path> needed)
            throws UsageException, IOException {
        List<Path> let = new ArrayList<>();
        for (String path : admitted) {
            let.add(admitted(path));
        }
        Set<Path> folders = folders(environment.getOrDefault("XDG_RUNTIME_DIR", ""), needed);
        if (folders.stream().anyMatch(working::startsWith)) {
            throw new UsageException(
                    "--isolate netns: the working folder is masked: " + working,
                    "a working folder outside of "
                            + String.join(
                                    ", ", folders.stream().map(Path::toString).toList()));
        }
        MountTable table = MountTable.read();
        UnixSockets.Found found = UnixSockets.find(environment, folders, table);
        Set<Path> sockets = new TreeSet<>(found.located());
        let.forEach(sockets::remove);
        return new Masks(List.copyOf(folders), List.copyOf(sockets), let, found.unlocated(), table);
    }

    private static Path admitted(String path) throws UsageException {
        try {
            Path real = Path.of(path).toRealPath();
            if (UnixSockets.isSocket(real) && SystemNames.isPlain(real.toString())) {
                return real;
            }
        } catch (IOException | InvalidPathException e) {
            throw new UsageException("--unix-socket " + path + ": no such socket", "the path of a UNIX socket");
        }
        throw new UsageException("--unix-socket " + path + ": is no UNIX socket", "the path of a UNIX socket");
    }

    private static Set<Path> folders(String runtime, List<Path> needed) throws IOException {
        Set<Path> folders = new LinkedHashSet<>();
        for (Path folder : List.of(RUN, Path.of("/var/run"))) {
            if (Files.isDirectory(folder)) {
                folders.add(folder.toRealPath());
            }
        }
        for (Path folder : SHARED) {
            if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                folders.add(folder);
            }
        }
        Path own = folder(runtime);
        if (own != null
                && folders.stream().noneMatch(own::startsWith)
                && needed.stream().noneMatch(folder -> folder.startsWith(own))) {
            folders.add(own);
        }
        return folders;
    }

    /** A folder of the user that can be masked whole; null when this is none. */
    private static @Nullable Path folder(String name) throws IOException {
        Path folder = SystemNames.absolute(name);
        if (folder == null || !SystemNames.isPlain(name) || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        return folder.toRealPath();
    }
}
