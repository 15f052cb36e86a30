package dev.sallyport.server.init;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A repository that git fetches from.
 *
 * @param path of its pages on the host, without the suffix .git
 */
record Repository(Registry host, String path) {

    /** {@code https://HOST[:PORT]/PATH}, {@code ssh://...} and {@code user@HOST:PATH}. */
    private static final Pattern URL = Pattern.compile(
            "(?:(https?)://(?:[^@/]*@)?([^/]+)|ssh://(?:[^@/]*@)?([^/:]+)(?::\\d+)?|[^@/:\\s]+@([^/:\\s]+):/?)/?(\\S*)");

    /** The repositories of the remotes in a folder; none outside of one, and without git. */
    static List<Repository> of(Tools tools) throws IOException, InterruptedException {
        Set<Repository> found = new LinkedHashSet<>();
        String remotes = tools.ask("git", "remote", "-v");
        if (remotes != null) {
            remotes.lines().forEach(line -> add(line, found));
        }
        return List.copyOf(found);
    }

    private static void add(String line, Set<Repository> found) {
        String[] words = line.split("\\s+", -1);
        Matcher url = URL.matcher(words.length > 1 ? words[1] : "");
        if (!url.matches()) {
            return; // a folder, or a protocol that is not HTTP's business
        }
        String authority = url.group(2) != null ? url.group(2) : url.group(3) != null ? url.group(3) : url.group(4);
        String scheme = url.group(1) == null ? "https" : url.group(1);
        Registry host = Registry.of(scheme + "://" + authority + "/");
        String path = url.group(5).replaceAll("(\\.git)?/*$", "");
        if (host != null && path.matches("[A-Za-z0-9._~@+-]+(/[A-Za-z0-9._~@+-]+)*")) {
            found.add(new Repository(host, "/" + path));
        }
    }

    /** What a fetch or a clone asks for. */
    List<String> paths() {
        return List.of(
                path + "/info/refs", path + "/git-upload-pack", path + ".git/info/refs", path + ".git/git-upload-pack");
    }
}
