package dev.sallyport.server.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Searches for UNIX sockets to which somebody outside listens: those that the kernel lists in any network namespace, those
 * beside them (a socket can be renamed), those that are mounted, also by a folder around them, and those that variables
 * name. Blocks.
 */
final class UnixSockets {

    private static final Path PROCESSES = Path.of("/proc");
    private static final int PATH_COLUMN = 7;
    private static final int MOST_ENTRIES = 10_000;
    private static final int TYPE = 0170000;
    private static final int SOCKET = 0140000;
    private static final int LINK = 0120000;
    private static final Pattern SEPARATORS = Pattern.compile("[=,:;]");

    /** Folders in which variables, or tools without any, keep sockets. */
    private static final List<String> FOLDERS = List.of("XDG_RUNTIME_DIR", "GNUPGHOME", "SCREENDIR", "TMUX_TMPDIR");

    private static final List<String> BELOW_HOME = List.of(".gnupg", ".ssh", ".screen", ".docker/run");

    private final Collection<Path> masked;
    private final Set<Path> located = new TreeSet<>();

    /** Also those in masked folders, which may be mounted elsewhere too. */
    private final Set<Path> all = new TreeSet<>();

    private final Set<String> unlocated = new TreeSet<>();
    private final Set<Path> folders = new TreeSet<>();

    private UnixSockets(Collection<Path> masked) {
        this.masked = masked;
    }

    /**
     * What was found.
     *
     * @param located by their real paths
     * @param unlocated sockets that are known, and of which no path, or not every path, is
     */
    record Found(Set<Path> located, Set<String> unlocated) {

        Found {
            located = Set.copyOf(located);
            unlocated = Set.copyOf(unlocated);
        }
    }

    /**
     * Searches.
     *
     * @param environment of the program
     * @param masked folders that are masked whole: what is in there is left out
     * @param table what is mounted
     */
    static Found find(Map<String, String> environment, Collection<Path> masked, MountTable table) throws IOException {
        UnixSockets search = new UnixSockets(masked);
        listed().forEach(search::bound);
        search.links();
        for (MountTable.Mount mount : table.mounts()) {
            Path place = SystemNames.path(mount.place());
            if (place != null && !mount.isServedRoot() && isSocket(place)) {
                search.add(place);
            }
        }
        search.variables(environment);
        search.folders.forEach(search::scan);
        for (Path socket : List.copyOf(search.all)) {
            table.aliases(socket).stream().filter(UnixSockets::isSocket).forEach(search::add);
        }
        return new Found(search.located, search.unlocated);
    }

    /** The paths, in bytes, to which sockets are bound in the network namespaces of the processes that can be seen. */
    private static Set<String> listed() throws IOException {
        Set<String> names = new TreeSet<>();
        Set<Object> namespaces = new HashSet<>();
        names.addAll(names(PROCESSES.resolve("self"), namespaces));
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            processes.forEach(process -> names.addAll(names(process, namespaces)));
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    private static List<String> names(Path process, Set<Object> namespaces) {
        Path list = process.resolve("net/unix");
        try {
            // One list of a namespace has one number, whichever process leads to it.
            if (!namespaces.add(Files.getAttribute(list, "unix:ino"))) {
                return List.of();
            }
            try (Stream<String> lines = Files.lines(list, StandardCharsets.ISO_8859_1)) {
                return lines.skip(1)
                        .map(line -> line.strip().split(" +", PATH_COLUMN + 1))
                        .filter(columns -> columns.length > PATH_COLUMN && columns[PATH_COLUMN].startsWith("/"))
                        .map(columns -> columns[PATH_COLUMN])
                        .toList();
            }
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // the process has ended, or is another user's: no list that can be read has its sockets
        }
    }

    /** A socket that the kernel says is bound to a path: maybe it was renamed or removed since. */
    private void bound(String name) {
        Path path = SystemNames.path(name);
        if (path == null || !SystemNames.isPlain(name)) {
            unlocated.add(name);
            return;
        }
        Path real = path;
        boolean isSocket = false;
        try {
            real = path.toRealPath();
            isSocket = type(real) == SOCKET;
        } catch (AccessDeniedException e) {
            return; // nor can the program get there
        } catch (IOException e) {
            real = beside(path);
        }
        if (isSocket) {
            add(real);
        } else if (!isMasked(real)) {
            unlocated.add(name);
        }
        Path folder = real.getParent();
        if (folder != null) {
            folders.add(folder);
        }
    }

    /** Where a file would be that is there no longer: a link may lead out of a masked folder. */
    private static Path beside(Path missing) {
        Path folder = missing.getParent();
        Path name = missing.getFileName();
        try {
            return folder == null || name == null
                    ? missing.normalize()
                    : folder.toRealPath().resolve(name);
        } catch (IOException e) {
            return missing.normalize();
        }
    }

    /** Links of {@code /run} stay where the folder is masked: what they lead to is reachable. */
    private void links() throws IOException {
        if (!Files.isDirectory(Masks.RUN)) {
            return;
        }
        try (DirectoryStream<Path> links = Files.newDirectoryStream(Masks.RUN, Files::isSymbolicLink)) {
            for (Path link : links) {
                if (isSocket(link)) {
                    add(link);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private void variables(Map<String, String> environment) {
        Path runtime = SystemNames.absolute(environment.getOrDefault("XDG_RUNTIME_DIR", ""));
        environment.forEach((variable, value) -> {
            for (String word : SEPARATORS.split(value, -1)) {
                // DOCKER_HOST=unix:///..., and a name in the runtime folder, as WAYLAND_DISPLAY has it.
                Path path = SystemNames.absolute(word.startsWith("//") ? word.substring(1) : word);
                if (path == null && runtime != null && variable.endsWith("_DISPLAY")) {
                    path = SystemNames.absolute(runtime + "/" + word);
                }
                if (path != null && isSocket(path)) {
                    add(path);
                }
            }
        });
        for (String variable : FOLDERS) {
            Path folder = SystemNames.absolute(environment.getOrDefault(variable, ""));
            if (folder != null) {
                folders.add(folder);
            }
        }
        Path home = SystemNames.absolute(environment.getOrDefault("HOME", ""));
        if (home != null) {
            BELOW_HOME.forEach(name -> folders.add(home.resolve(name)));
        }
    }

    private void scan(Path folder) {
        if (isMasked(folder) || !Files.isDirectory(folder)) {
            return;
        }
        int count = 0;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                if (++count > MOST_ENTRIES) {
                    unlocated.add(folder + "/* (more than " + MOST_ENTRIES + " files)");
                    return;
                }
                int type = type(entry);
                if (type == SOCKET || (type == LINK && isSocket(entry))) {
                    add(entry);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            unlocated.add(folder + "/* (cannot be read)");
        }
    }

    private void add(Path socket) {
        try {
            Path real = socket.toRealPath();
            all.add(real);
            if (isMasked(real)) {
                return;
            }
            if (!SystemNames.isPlain(real.toString())) {
                unlocated.add(real.toString());
                return;
            }
            located.add(real);
            unlocated.remove(real.toString());
            if ((int) Files.getAttribute(real, "unix:nlink", LinkOption.NOFOLLOW_LINKS) > 1) {
                unlocated.add("other names of " + real);
            }
        } catch (IOException e) {
            unlocated.add(socket.toString());
        }
    }

    private boolean isMasked(Path path) {
        return masked.stream().anyMatch(path::startsWith);
    }

    /** Whether this is a socket itself, or a link to one. */
    static boolean isSocket(Path path) {
        try {
            return type(path.toRealPath()) == SOCKET;
        } catch (IOException e) {
            return false;
        }
    }

    private static int type(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE;
    }
}
