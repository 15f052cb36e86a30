package dev.sallyport.core;

import java.util.List;

/**
 * A command of the packaged program that lives in a module of its own: {@code sallyport NAME ARGUMENTS...}.
 * Implementations are found by {@link java.util.ServiceLoader} on the class path, need a public no-argument constructor
 * and hold no state. A name that the program itself uses is an error of the module's author.
 */
public interface Subcommand {

    /** The word on the command line, in lower case. Always the same. */
    String name();

    /** One sentence, for the list of commands. */
    String summary();

    /**
     * Runs to its end, on the thread of the program's main method, and may block.
     *
     * @param arguments what follows the name
     * @param context lent until this method returns
     * @return the exit code: 0 done, 1 a problem (one line each on standard error), 2 wrong usage
     */
    int run(List<String> arguments, SubcommandContext context) throws InterruptedException;
}
