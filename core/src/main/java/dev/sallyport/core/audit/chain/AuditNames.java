package dev.sallyport.core.audit.chain;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of what lies beside an audit file {@code NAME}. */
public final class AuditNames {

    private static final Pattern ROTATED = Pattern.compile("(.+)\\.(\\d{6,18})");
    private static final List<String> COMPANIONS =
            List.of(".checkpoints", ".key", ".pub", ".inflight", ".inflight.unknown", ".new");

    private AuditNames() {}

    /** {@code NAME.checkpoints}; rotated ones are {@code NAME.checkpoints.000001} and up. */
    public static Path checkpoints(Path audit) {
        return beside(audit, ".checkpoints");
    }

    /** {@code NAME.key}, where the private key is unless the configuration says otherwise. */
    public static Path key(Path audit) {
        return beside(audit, ".key");
    }

    /** {@code NAME.pub}: the public keys that have signed, one a line. */
    public static Path publicKey(Path audit) {
        return beside(audit, ".pub");
    }

    /** Whether a file lies beside an audit file, and is none itself. */
    public static boolean isCompanion(Path file) {
        String name = stem(file);
        return COMPANIONS.stream().anyMatch(name::endsWith);
    }

    /**
     * {@code NAME} of {@code NAME.000001}; another name as it is, also one that only looks like that and has a chain of its
     * own.
     */
    public static Path base(Path file) {
        boolean itself = Files.exists(checkpoints(file)) || Files.exists(publicKey(file));
        return itself ? file : file.resolveSibling(stem(file));
    }

    private static String stem(Path file) {
        Matcher rotated = ROTATED.matcher(name(file));
        return rotated.matches() ? rotated.group(1) : name(file);
    }

    /** {@code NAME.000001} and up, as many as there are, the oldest first. */
    public static List<Path> rotated(Path audit) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> folder = Files.newDirectoryStream(folder(audit))) {
            for (Path file : folder) {
                if (number(file) > 0 && stem(file).equals(name(audit))) {
                    found.add(audit.resolveSibling(name(file)));
                }
            }
        }
        found.sort(Comparator.comparingLong(AuditNames::number));
        return found;
    }

    /** The name for what is rotated next. */
    public static Path next(Path audit) throws IOException {
        List<Path> before = rotated(audit);
        long last = before.isEmpty() ? 0 : number(before.getLast());
        return beside(audit, String.format(Locale.ROOT, ".%06d", last + 1));
    }

    /** 0 for a name that is not rotated. */
    private static long number(Path file) {
        Matcher rotated = ROTATED.matcher(name(file));
        return rotated.matches() ? Long.parseLong(rotated.group(2)) : 0;
    }

    private static Path folder(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? Path.of("/") : parent;
    }

    private static Path beside(Path file, String suffix) {
        return file.resolveSibling(name(file) + suffix);
    }

    private static String name(Path file) {
        Path name = file.getFileName();
        return name == null ? "" : name.toString();
    }
}
