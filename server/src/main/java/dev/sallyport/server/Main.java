package dev.sallyport.server;

import dev.sallyport.server.cli.CommandLines;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** The entry of the process. */
public final class Main {

    private static final String MACHINE = "io.netty.machineId";

    private Main() {}

    /** Runs the command line and ends the process with its exit code, see {@link dev.sallyport.server.cli.ExitCode}. */
    public static void main(String[] args) {
        nameMachine();
        System.exit(CommandLines.run(args));
    }

    /**
     * Netty begins the names of its channels with the address of a network card: for one it would search all interfaces,
     * and warn in a namespace that has none. Any number does.
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
