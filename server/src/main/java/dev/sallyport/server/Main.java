package dev.sallyport.server;

import dev.sallyport.server.cli.CommandLines;
import dev.sallyport.server.log.JulSetup;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** The entry point of the process. */
public final class Main {

    private static final String MACHINE = "io.netty.machineId";

    private Main() {}

    /** Runs the command line and ends the process with its exit code, see {@link dev.sallyport.server.cli.ExitCode}. */
    public static void main(String[] args) {
        nameMachine();
        JulSetup.install();
        System.exit(CommandLines.run(args));
    }

    /**
     * Netty puts the MAC address of a network card into its channel ids. It would search all interfaces for one, and
     * warn in a namespace that has none. Any number will do.
     */
    private static void nameMachine() {
        if (System.getProperty(MACHINE) == null) {
            byte[] any = ByteBuffer.allocate(Long.BYTES)
                    .putLong(ThreadLocalRandom.current().nextLong())
                    .array();
            System.setProperty(MACHINE, HexFormat.ofDelimiter(":").formatHex(any));
        }
    }
}
