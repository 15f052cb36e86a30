package dev.sallyport.sandboxd;

import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.server.SocketServer;
import dev.sallyport.sandboxd.vm.HostDriver;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The program: {@code --NAME VALUE ...}. Runs until a signal asks for its end; guests go on.
 *
 * <p>Its own settings are {@code socket}, {@code user}, {@code driver} and {@code end_with_input}; all others are those of
 * drivers.
 */
public final class Sandboxd {

    /** The names of all settings, and their defaults. */
    public static final Map<String, String> DEFAULTS;

    private static final String END_WITH_INPUT = "end_with_input";
    private static final Map<String, String> OWN = Map.of(
            "socket", "/run/sallyport/sandboxd.sock", "user", "root", "driver", Kinds.AUTO, END_WITH_INPUT, "false");

    static {
        Map<String, String> all = new TreeMap<>(HostSettings.DEFAULTS);
        all.putAll(OWN);
        DEFAULTS = Collections.unmodifiableMap(all);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Sandboxd.class);
    private static final int PROBLEM = 1;
    private static final int WRONG_USAGE = 2;

    private Sandboxd() {}

    /** As a process of its own. */
    public static void main(String[] arguments) throws InterruptedException {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(Map.of(), List.of(arguments), new Streams(System.in, out, err)));
    }

    /** Those of the process. */
    public record Streams(InputStream in, PrintWriter out, PrintWriter err) {}

    /**
     * Runs to the end.
     *
     * @param configured settings, which the arguments override
     * @return 0 after a signal, 1 when it cannot start, 2 for wrong usage
     */
    public static int run(Map<String, String> configured, List<String> arguments, Streams streams)
            throws InterruptedException {
        PrintWriter err = streams.err();
        if (arguments.contains("--help")) {
            streams.out().print(usage());
            streams.out().flush();
            return 0;
        }
        try {
            Map<String, String> settings = new TreeMap<>(configured);
            settings.putAll(settings(arguments));
            Map<String, String> own = new LinkedHashMap<>(OWN);
            own.replaceAll((name, value) -> settings.containsKey(name) ? settings.remove(name) : value);
            if (!List.of("true", "false").contains(own.get(END_WITH_INPUT))) {
                throw new IllegalArgumentException("end-with-input is neither true nor false");
            }
            serve(own, HostSettings.of(settings), streams);
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

    private static void serve(Map<String, String> own, HostSettings settings, Streams streams)
            throws IOException, VmException, InterruptedException {
        UserPrincipal owner = user(own.getOrDefault("user", ""));
        Kind kind = Kinds.choose(own.getOrDefault("driver", ""), settings);
        String socket = own.getOrDefault("socket", "");
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        if (Boolean.parseBoolean(own.get(END_WITH_INPUT))) {
            Thread.ofPlatform().daemon().name("sandboxd-input").start(() -> {
                readToEnd(streams.in());
                asked.countDown();
            });
        }
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
            streams.out().println("sandboxd listens at " + socket);
            asked.await();
        } finally {
            over.countDown();
        }
    }

    /** Whoever has started it holds the other end; what cannot be read any more has ended. */
    private static void readToEnd(InputStream in) {
        try {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            LOG.info("standard input fails: {}", e.toString());
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
                Usage: sallyport sandboxd [-config FILE] [--NAME VALUE]...

                Run VMs for a control plane that is not root. Guests go on when it ends.
                FILE is the configuration of the control plane; of it, control.sandboxes,
                tls.ca_cert and the ports of proxy.http_listen and dns.listen are read. Options
                override it.

                Options:
                """);
        DEFAULTS.forEach((name, value) -> text.append("  --")
                .append(name.replace('_', '-'))
                .append(" (")
                .append(value)
                .append(")\n"));
        return text.toString();
    }
}
