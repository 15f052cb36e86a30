package dev.sallyport.server.run;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.dns.DnsServer;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.linux.UnavailableException;
import dev.sallyport.server.Failure;
import dev.sallyport.server.run.linux.Jail;
import dev.sallyport.server.run.linux.NetworkNamespace.Sockets;
import dev.sallyport.server.run.linux.NetworkNamespace.Stream;
import dev.sallyport.server.run.linux.RefusedPacket;
import dev.sallyport.spi.ListenerKind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A network of the program's own, in which every address leads to the proxy or nowhere. Linux only. */
final class NamespaceConfinement implements Confinement {

    /** Set by the launcher when it has started this process in a user namespace. */
    private static final boolean USER_NAMESPACE = Boolean.getBoolean("sallyport.userns");

    /** The least that programs which begin as root need to go on as somebody else, and for servers of their own. */
    private static final String ROOT_CAPABILITIES =
            ",+chown,+dac_override,+fowner,+fsetid,+kill,+net_bind_service,+setgid,+setuid";

    private static final int HTTPS = 443;
    private static final int PROBE_SECONDS = 10;

    private final Jail jail;
    private final Sockets sockets;
    private final CompletableFuture<Masks> masks;
    private final RunFolder folder;
    private @Nullable EventLoops loops;
    private @Nullable DnsServer names;
    private @Nullable SocketReport report;

    /** @param masks that are being searched for; a failure is a {@link UsageException} or an {@link IOException} */
    NamespaceConfinement(Jail jail, Sockets sockets, CompletableFuture<Masks> masks, RunFolder folder) {
        this.jail = jail;
        this.sockets = sockets;
        this.masks = masks;
        this.folder = folder;
    }

    /** Whether the program's own namespaces can be made in there: makes some. Blocks. */
    static void probe(Jail jail) throws UnavailableException {
        List<String> command = new ArrayList<>(unshare());
        command.addAll(List.of("sh", "-c", "mount -t tmpfs sallyport /run && setpriv --no-new-privs true"));
        try {
            Process process = jail.start(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile())));
            if (!process.waitFor(PROBE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new UnavailableException(
                        "namespaces for the program are not there after " + PROBE_SECONDS + " seconds");
            }
            if (process.exitValue() != 0) {
                // What it says fits into the pipe.
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                throw new UnavailableException(said.isEmpty() ? "namespaces for the program" : said.replace('\n', ' '));
            }
        } catch (IOException e) {
            throw new UnavailableException(e.getMessage() + " (unshare and setpriv are part of util-linux)");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted");
        }
    }

    /** What ends with this process, whatever ends it. */
    private static List<String> unshare() {
        List<String> command = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL", "--", "unshare"));
        if (USER_NAMESPACE) {
            command.addAll(List.of("--user", "--map-current-user", "--keep-caps"));
        }
        command.addAll(List.of("--mount", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "--"));
        return command;
    }

    @Override
    public void adopt(EgressProxy proxy) throws Failure, IOException {
        try {
            for (Stream stream : sockets.streams()) {
                proxy.adopt(stream.port() == HTTPS ? ListenerKind.HTTPS : ListenerKind.HTTP, stream.descriptor());
            }
        } catch (StartException e) {
            throw new Failure(e.problems());
        }
        loops = EventLoops.single("sallyport-dns");
        names = DnsServer.adopt(
                loops.group().next(), steering(proxy.config().dns()), sockets.dnsStreams(), sockets.dnsDatagrams());
    }

    /** The section of the file, but for the answers. */
    private DnsSection steering(DnsSection file) {
        return new DnsSection(
                true,
                file.listen(),
                sockets.ipv4Address(),
                sockets.ipv6Address(),
                file.upstreamResolver(),
                file.passthrough(),
                file.records(),
                file.limits());
    }

    @Override
    public int run(
            List<String> command,
            Map<String, String> environment,
            ChildSignals signals,
            Consumer<RefusedPacket> refusals)
            throws IOException, InterruptedException, UsageException {
        Masks planned = planned();
        MountPlan.write(folder, planned, environment, !USER_NAMESPACE);
        try {
            jail.watch(refusals);
        } catch (UnavailableException e) {
            throw new IOException(e.getMessage(), e);
        }
        List<String> words = new ArrayList<>(unshare());
        String capabilities = USER_NAMESPACE ? "" : ROOT_CAPABILITIES;
        words.addAll(List.of("sh", script().toString(), folder.closed().toString(), capabilities));
        words.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = jail.start(builder);
        signals.started(new ChildSignals.Child(process, () -> program(process)));
        int code = process.waitFor();
        jail.settle();
        InitStatus status = InitStatus.read(status());
        if (!status.ready()) {
            throw new UsageException(
                    "--isolate netns does not work here: "
                            + Objects.requireNonNullElse(status.failure(), "the namespaces ended with code " + code),
                    "what sallyport doctor says");
        }
        List<String> reachable = new ArrayList<>();
        planned.admitted().forEach(socket -> reachable.add(socket.toString()));
        reachable.addAll(status.reachable());
        report = new SocketReport(
                reachable, planned.unlocated().stream().sorted().toList());
        return code;
    }

    private Masks planned() throws UsageException, IOException {
        try {
            return masks.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UsageException wrong) {
                throw wrong;
            }
            if (e.getCause() instanceof IOException fault) {
                throw fault;
            }
            throw e;
        }
    }

    private Path status() {
        return folder.closed().resolve("status");
    }

    private Path script() throws IOException {
        try (InputStream in = NamespaceConfinement.class.getResourceAsStream("init.sh")) {
            if (in == null) {
                throw new IOException("init.sh is missing in this build");
            }
            return folder.write("init.sh", in.readAllBytes());
        }
    }

    /** The program: once PID 1 says that it is about to run, the first child of PID 1; null before. */
    private @Nullable ProcessHandle program(Process unshare) {
        try {
            if (!InitStatus.read(status()).ready()) {
                return null;
            }
        } catch (IOException e) {
            return null; // not yet: it is asked again
        }
        return unshare.toHandle()
                .children()
                .findFirst()
                .flatMap(init -> init.children().min(Comparator.comparing(NamespaceConfinement::started)))
                .orElse(null);
    }

    private static Instant started(ProcessHandle process) {
        return process.info().startInstant().orElse(Instant.MAX);
    }

    @Override
    public @Nullable SocketReport sockets() {
        return report;
    }

    @Override
    public boolean needsVariables() {
        return false;
    }

    @Override
    public void close() {
        if (names != null) {
            names.close();
        }
        if (loops != null) {
            loops.close();
        }
        jail.close();
    }
}
