package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.util.List;

/** Runs scripts inside a guest that runs, with its own shell and its root's rights. One thread at a time. */
public interface GuestShell {

    /**
     * Runs one to its end, for some seconds at most.
     *
     * @param arguments which no shell reads
     * @param input what it reads on its standard input
     * @param most how much of what it writes on its standard output is returned, in bytes; the rest is dropped
     * @throws CommandException when it does not end with 0 in time
     */
    byte[] run(String script, List<String> arguments, Command.Input input, int most)
            throws IOException, WireException, CommandException, InterruptedException;
}
