package dev.sallyport.server.run;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the command line of {@code sallyport run} asks for.
 *
 * @param unixSockets UNIX sockets that the program may reach although they lead outside
 * @param command the program and its arguments; at least one word
 */
record RunOptions(Policy policy, Isolation isolation, Output output, List<String> unixSockets, List<String> command) {

    RunOptions {
        unixSockets = List.copyOf(unixSockets);
        command = List.copyOf(command);
    }

    /** How the program is kept from going around the proxy. */
    enum Isolation {
        /** The best that works here. */
        AUTO,
        /** A network namespace, from which nothing else leads out. */
        NETNS,
        /** Variables of the environment, which a program may ignore. */
        ENV
    }

    /** What becomes of requests that nothing lets through. */
    enum Unlisted {
        /** They are refused. */
        REFUSED,
        /** A person at the terminal is asked. */
        ASKED_ABOUT,
        /** They pass, for learning. */
        LET_THROUGH
    }

    /**
     * What the program may do.
     *
     * @param allow hosts, as given
     * @param presets names of presets
     * @param config a configuration, to which the rest is added; null for none
     * @param unlisted what becomes of requests that nothing lets through
     */
    record Policy(
            List<String> allow,
            List<SecretOption> secrets,
            List<String> presets,
            @Nullable Path config,
            Unlisted unlisted) {

        Policy {
            allow = List.copyOf(allow);
            secrets = List.copyOf(secrets);
            presets = List.copyOf(presets);
        }

        /** Whether everything is let through. */
        boolean open() {
            return unlisted == Unlisted.LET_THROUGH;
        }

        /** Whether a person is asked. */
        boolean ask() {
            return unlisted == Unlisted.ASKED_ABOUT;
        }

        /** Whether real values may come into this process: by an option, or by what the configuration reads. */
        boolean mayHoldSecrets() {
            return config != null || !secrets.isEmpty();
        }
    }

    /**
     * What is said of it.
     *
     * @param inspect whether a page shows the records
     * @param audit where records go; null for nowhere
     * @param learn where the policy goes that would have sufficed; null for nowhere
     * @param quiet whether there is no summary
     */
    record Output(
            boolean inspect, @Nullable Path audit, @Nullable Path learn, boolean quiet) {}
}
