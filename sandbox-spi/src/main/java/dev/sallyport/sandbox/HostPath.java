package dev.sallyport.sandbox;

import java.util.regex.Pattern;

/** Paths of a host at which drivers keep guests. Overlayfs and the runtimes give some characters a meaning of their own. */
public final class HostPath {

    /** What a plain path looks like, for messages. */
    public static final String EXPECTED = "/NAME/... of letters, digits, '.', '_' and '-'";

    private static final Pattern PLAIN = Pattern.compile("(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+");

    private HostPath() {}

    /** Whether a path is absolute, and has only characters that mean themselves everywhere. */
    public static boolean isPlain(String path) {
        return PLAIN.matcher(path).matches();
    }
}
