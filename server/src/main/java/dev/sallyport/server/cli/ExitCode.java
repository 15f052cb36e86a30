package dev.sallyport.server.cli;

/** How a command ends. Part of the public contract: see docs/cli.md. */
public final class ExitCode {

    /** It did what it was asked for. */
    public static final int OK = 0;

    /** Something is wrong with the configuration, with what it names, or with the machine. */
    public static final int PROBLEM = 1;

    /** The command line itself is wrong. */
    public static final int USAGE = 2;

    private ExitCode() {}
}
