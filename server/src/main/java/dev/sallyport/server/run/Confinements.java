package dev.sallyport.server.run;

import dev.sallyport.linux.UnavailableException;
import dev.sallyport.server.run.RunOptions.Isolation;
import dev.sallyport.server.run.linux.Jail;
import dev.sallyport.server.run.linux.NetworkNamespace.Sockets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Chooses the confinement: {@code auto} tries, and never guesses from versions. */
final class Confinements {

    /** Set by the launcher: why it could not make a user namespace for this process. */
    private static final String REFUSED = "sallyport.userns.refused";

    private static final String GOES_AROUND =
            "isolation: env; variables lead the program to the proxy, and a program that ignores them gets past it";

    private Confinements() {}

    /**
     * A namespace that is being made.
     *
     * @param tried its sockets, once the program's own namespaces could be made in it
     */
    record Begun(Jail jail, CompletableFuture<Sockets> tried) {

        /** Waits for the sockets. */
        private Sockets sockets() throws UnavailableException {
            try {
                return tried.join();
            } catch (CompletionException e) {
                if (e.getCause() instanceof UnavailableException reason) {
                    throw reason;
                }
                throw e;
            }
        }
    }

    /**
     * The namespace for a run, begun and tried early since it takes a while; null when none is asked for.
     *
     * @param ports that are served besides 80 and 443
     */
    static @Nullable Begun begin(Isolation isolation, Set<Integer> ports) {
        if (isolation == Isolation.ENV) {
            return null;
        }
        Set<Integer> served = new TreeSet<>(ports);
        served.add(80);
        served.add(443);
        served.remove(53);
        Jail jail = Jail.make(served);
        return new Begun(jail, CompletableFuture.supplyAsync(() -> tried(jail), thread("sallyport-trial")));
    }

    private static Sockets tried(Jail jail) {
        try {
            Sockets sockets = jail.sockets();
            NamespaceConfinement.probe(jail);
            return sockets;
        } catch (UnavailableException e) {
            throw new CompletionException(e);
        }
    }

    /** A thread of its own for what blocks. */
    private static Executor thread(String name) {
        return task -> Thread.ofPlatform().daemon().name(name).start(task);
    }

    /**
     * The confinement. The search for what it has to mask goes on meanwhile.
     *
     * @param begun null for none
     * @param environment of the program
     * @param folder of the run
     * @param note receives what people must know
     * @throws UsageException when {@code netns} is asked for and does not work here
     */
    static Confinement choose(
            RunOptions options,
            @Nullable Begun begun,
            Map<String, String> environment,
            RunFolder folder,
            Consumer<String> note)
            throws UsageException {
        if (begun == null) {
            note.accept(GOES_AROUND);
            return new EnvironmentConfinement();
        }
        try {
            Sockets sockets = begun.sockets();
            CompletableFuture<Masks> masks =
                    CompletableFuture.supplyAsync(() -> masks(options, environment, folder), thread("sallyport-masks"));
            return new NamespaceConfinement(begun.jail(), sockets, masks, folder);
        } catch (UnavailableException e) {
            begun.jail().close();
            String launcher = System.getProperty(REFUSED, "");
            String reason = e.getMessage() + (launcher.isEmpty() ? "" : " (" + launcher + ")");
            if (options.isolation() == Isolation.NETNS) {
                throw new UsageException("--isolate netns does not work here: " + reason, "what sallyport doctor says");
            }
            note.accept("isolation: env, because netns does not work here: " + reason);
            note.accept(GOES_AROUND.substring(GOES_AROUND.indexOf(';') + 2));
            return new EnvironmentConfinement();
        }
    }

    private static Masks masks(RunOptions options, Map<String, String> environment, RunFolder folder) {
        Path home = SystemNames.absolute(environment.getOrDefault("HOME", ""));
        List<Path> needed =
                home == null ? List.of(folder.path(), folder.closed()) : List.of(folder.path(), folder.closed(), home);
        try {
            return Masks.plan(options.unixSockets(), environment, Path.of("").toAbsolutePath(), needed);
        } catch (UsageException | IOException e) {
            throw new CompletionException(e);
        }
    }
}
