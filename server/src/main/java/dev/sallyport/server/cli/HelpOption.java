package dev.sallyport.server.cli;

import picocli.CommandLine.Option;

/** Mixed into every command. */
final class HelpOption {

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;
}
