package dev.sallyport.sandboxd;

import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.server.SocketServer;
import dev.sallyport.sandboxd.vm.HostDriver;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Kind;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/**
 * The program: {@code --NAME VALUE ...}. Runs until a signal asks for its end; guests go on.
 *
 * <p>Its own settings are {@code socket}, {@code user} and {@code driver}; all others are those of drivers.
 */
public final class Sandboxd {

    private static final Map<String, String> OWN =
            Map.of("socket", "/run/sallyport/sandboxd.sock", "user", "root", "driver", Kinds.AUTO);
    private static final int PROBLEM = 1;
    private static final int WRONG_USAGE = 2;

    private Sandboxd() {}

    /** As a process of its own. */
    public static void main(String[] arguments) throws InterruptedException {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(List.of(arguments), out, err));
    }

    /**
     * Runs to the end.
     *
     * @return 0 after a signal, 1 when it cannot start, 2 for wrong usage
     */
    public static int run(List<String> arguments, PrintWriter out, PrintWriter err) throws InterruptedException {
        if (arguments.equals(List.of("--help"))) {
            out.print(usage());
            out.flush();
            return 0;
        }
        try {
            Map<String, String> settings = settings(arguments);
            Map<String, String> own = new LinkedHashMap<>(OWN);
            own.replaceAll((name, value) -> settings.containsKey(name) ? settings.remove(name) : value);
            serve(own, HostSettings.of(settings), out);
            return 0;
        } catch (IllegalArgumentException e) {
            err.println("sandboxd: " + e.getMessage() + " (expected: see --help)");
            return WRONG_USAGE;
        } catch (VmException e) {
            err.println("sandboxd: " + e.getMessage());
            return e.reason() == Reason.INVALID ? WRONG_USAGE : PROBLEM;
        } catch (IOException e) {
            err.println("sandboxd: " + e.getMessage());
            return PROBLEM;
        }
    }

    private static void serve(Map<String, String> own, HostSettings settings, PrintWriter out)
            throws IOException, VmException, InterruptedException {
        UserPrincipal owner = user(own.getOrDefault("user", ""));
        Kind kind = Kinds.choose(own.getOrDefault("driver", ""), settings);
        String socket = own.getOrDefault("socket", "");
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Thread ender = new Thread(() -> {
            asked.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try (VmDriver driver = HostDriver.open(kind, settings);
                SocketServer server = SocketServer.open(Path.of(socket), owner, driver)) {
            Runtime.getRuntime().addShutdownHook(ender);
            out.println("sandboxd listens at " + socket);
            asked.await();
        } finally {
            over.countDown();
        }
    }

    private static UserPrincipal user(String name) throws IOException {
        try {
            return FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(name);
        } catch (UserPrincipalNotFoundException e) {
            throw new IOException("user: there is no user " + name, e);
        }
    }

    private static Map<String, String> settings(List<String> arguments) {
        Map<String, String> settings = new TreeMap<>();
        for (int i = 0; i < arguments.size(); i += 2) {
            String name = arguments.get(i);
            if (!name.startsWith("--") || i + 1 == arguments.size()) {
                throw new IllegalArgumentException("unexpected argument " + name);
            }
            if (settings.put(name.substring(2).replace('-', '_'), arguments.get(i + 1)) != null) {
                throw new IllegalArgumentException(name + " is there twice");
            }
        }
        return settings;
    }

    private static String usage() {
        StringBuilder text = new StringBuilder("""
                Usage: sallyport sandboxd [--NAME VALUE]...

                Run VMs for a control plane that is not root. Guests go on when it ends.

                Options:
                """);
        Map<String, String> all = new TreeMap<>(HostSettings.DEFAULTS);
        all.putAll(OWN);
        all.forEach((name, value) -> text.append("  --")
                .append(name.replace('_', '-'))
                .append(" (")
                .append(value)
                .append(")\n"));
        return text.toString();
    }
}
