package dev.sallyport.server;

import dev.sallyport.server.cli.CommandLines;

/** The entry of the process. */
public final class Main {

    private Main() {}

    /** Runs the command line and ends the process with its exit code, see {@link dev.sallyport.server.cli.ExitCode}. */
    public static void main(String[] args) {
        System.exit(CommandLines.run(args));
    }
}
