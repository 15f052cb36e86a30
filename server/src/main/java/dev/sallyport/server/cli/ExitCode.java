package dev.sallyport.server.cli;

/** The exit codes of commands. Part of the public contract: see docs/cli.md. */
public final class ExitCode {

    /** The command did what it was asked to do. */
    public static final int OK = 0;

    /** There is a problem with the configuration, with something that it names, or with the machine. */
    public static final int PROBLEM = 1;

    /** The command line itself is wrong. */
    public static final int USAGE = 2;

    private ExitCode() {}
}
