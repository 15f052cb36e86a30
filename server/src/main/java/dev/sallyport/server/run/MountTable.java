package dev.sallyport.server.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is mounted in this process's mount namespace: {@code proc_pid_mountinfo(5)}. */
record MountTable(List<Mount> mounts) {

    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-7]{3})");

    /** Those over a network, and those that are mounted when somebody looks. */
    private static final Set<String> SERVED = Set.of(
            "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "lustre", "gfs2", "ocfs2", "autofs");

    private static final int DEVICE = 2;
    private static final int ROOT = 3;
    private static final int PLACE = 4;
    private static final int OCTAL = 8;

    MountTable {
        mounts = List.copyOf(mounts);
    }

    /**
     * A mount. Its names are in bytes: see {@link SystemNames#path}.
     *
     * @param device the file system
     * @param root the folder of it that is mounted
     * @param place where it is mounted
     * @param type of the file system
     */
    record Mount(String device, String root, String place, String type) {

        /**
         * Whether this is the whole of a file system that another machine or a program serves: a folder, and where nobody
         * serves it any more, whoever looks at it waits for ever.
         */
        boolean isServedRoot() {
            return root.equals("/") && (SERVED.contains(type) || type.startsWith("fuse"));
        }
    }

    /** The table of this process; an empty one where there is none. */
    static MountTable read() throws IOException {
        if (!Files.isReadable(TABLE)) {
            return new MountTable(List.of());
        }
        try (Stream<String> lines = Files.lines(TABLE, StandardCharsets.ISO_8859_1)) {
            return parse(lines.toList());
        }
    }

    static MountTable parse(List<String> lines) {
        return new MountTable(lines.stream()
                .filter(line -> line.contains(" - "))
                .map(MountTable::mount)
                .toList());
    }

    private static Mount mount(String line) {
        String type = line.substring(line.indexOf(" - ") + 3).split(" ", 2)[0];
        String[] columns = line.split(" ", PLACE + 2);
        return new Mount(columns[DEVICE], name(columns[ROOT]), name(columns[PLACE]), type);
    }

    private static String name(String escaped) {
        return ESCAPE.matcher(escaped).replaceAll(MountTable::unescaped);
    }

    /**
     * Other paths of a file, where its file system is mounted more than once. They need not exist: another mount may hide
     * them.
     *
     * @param file its real path
     */
    List<Path> aliases(Path file) {
        String path = SystemNames.bytes(file);
        Mount own = null;
        for (Mount mount : mounts) {
            boolean around = below(path, mount.place) != null;
            if (around && (own == null || mount.place.length() >= own.place.length())) {
                own = mount;
            }
        }
        if (own == null) {
            return List.of();
        }
        String inner = joined(own.root, String.valueOf(below(path, own.place)));
        List<Path> aliases = new ArrayList<>();
        for (Mount mount : mounts) {
            String rest = mount.device.equals(own.device) ? below(inner, mount.root) : null;
            Path alias = rest == null ? null : SystemNames.path(joined(mount.place, rest));
            if (alias != null && !alias.equals(file)) {
                aliases.add(alias);
            }
        }
        return aliases;
    }

    /** What follows the name of a folder in a path, with the slash before it; null for a path elsewhere. */
    private static @Nullable String below(String path, String folder) {
        if (folder.equals("/") || path.equals(folder)) {
            return path.substring(folder.equals("/") ? 0 : folder.length());
        }
        return path.startsWith(folder + "/") ? path.substring(folder.length()) : null;
    }

    private static String joined(String folder, String rest) {
        return folder.equals("/") && !rest.isEmpty() ? rest : folder + rest;
    }

    private static String unescaped(MatchResult escape) {
        String text = String.valueOf((char) Integer.parseInt(escape.group(1), OCTAL));
        return text.equals("\\") ? "\\\\" : text;
    }
}
