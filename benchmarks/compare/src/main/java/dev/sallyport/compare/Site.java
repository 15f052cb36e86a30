package dev.sallyport.compare;

import dev.sallyport.compare.load.Dialler;
import dev.sallyport.compare.net.Authority;
import dev.sallyport.compare.net.NameServer;
import dev.sallyport.compare.origin.Origin;
import dev.sallyport.compare.peer.Commands;
import dev.sallyport.compare.peer.Environment;
import dev.sallyport.compare.peer.Launcher;
import dev.sallyport.compare.scenario.Subject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Everything around the peers: origin, certificates, names, and the loop that makes load. */
final class Site implements AutoCloseable {

    private static final String HOST = "bench.test";
    private static final String NAME_SERVER = "127.53.0.1";

    private final Authority originAuthority = new Authority("Compare origin CA");
    private final Origin origin;
    private final Dialler dialler = new Dialler();
    private final @Nullable NameServer names;
    private final Launcher launcher;

    /**
     * @param root of the checkout
     * @param folder of the run
     * @param cores that peers run on; empty for any
     */
    Site(Path root, Path folder, String cores) throws IOException, InterruptedException {
        names = names();
        origin = new Origin(originAuthority.identity(HOST, "*." + HOST, "localhost", "127.0.0.1"));
        Map<String, String> values = new HashMap<>(Environment.certificates(
                folder.resolve("certificates"), new Authority("Compare proxy CA"), originAuthority));
        values.put("root", root.toString());
        values.put("sallyport", distribution(root).toString());
        values.put("java", ProcessHandle.current().info().command().orElse("java"));
        values.put("java_home", System.getProperty("java.home"));
        values.put("classpath", System.getProperty("java.class.path"));
        values.put("host", host());
        values.put("origin_port", Integer.toString(origin.plainPort()));
        values.put("origin_tls_port", Integer.toString(origin.securePort()));
        String resolver = "";
        if (names != null) {
            Path file = folder.resolve("resolv.conf");
            Files.writeString(file, "nameserver " + NAME_SERVER + "\n");
            resolver = file.toString();
        }
        launcher = new Launcher(new Environment(folder, values, cores, resolver));
    }

    /**
     * Names that only peers see, through a private mount of {@code resolv.conf}. That needs privileges; without them all
     * runs under the name localhost, and nothing can be new.
     */
    private static @Nullable NameServer names() throws InterruptedException {
        try {
            Commands.shell("unshare --mount mount --bind /etc/hosts /etc/resolv.conf", Map.of(), 10);
            return new NameServer(new InetSocketAddress(NAME_SERVER, 53));
        } catch (SocketException e) {
            return null;
        } catch (IOException e) {
            return null;
        }
    }

    /** The one that was built last; if there is none, where it would be. */
    private static Path distribution(Path root) throws IOException {
        Path target = root.resolve("server/target");
        if (!Files.isDirectory(target)) {
            return target.resolve("sallyport");
        }
        try (Stream<Path> folders = Files.list(target)) {
            return folders.filter(folder -> Files.isExecutable(folder.resolve("bin/sallyport")))
                    .max(Comparator.comparingLong(folder -> folder.toFile().lastModified()))
                    .orElse(target.resolve("sallyport"));
        }
    }

    /** Whether peers can look up any number of names. */
    boolean hasNames() {
        return names != null;
    }

    private String host() {
        return names == null ? "localhost" : HOST;
    }

    Subject.Site address() {
        return new Subject.Site(host(), origin.plainPort(), origin.securePort(), origin.modernPort());
    }

    String originIssuer() {
        return originAuthority.certificate().getSubjectX500Principal().getName();
    }

    Launcher launcher() {
        return launcher;
    }

    Dialler dialler() {
        return dialler;
    }

    @Override
    public void close() {
        dialler.close();
        origin.close();
        if (names != null) {
            names.close();
        }
    }
}
