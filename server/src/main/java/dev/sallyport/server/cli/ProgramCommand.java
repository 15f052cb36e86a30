package dev.sallyport.server.cli;

import dev.sallyport.server.Failure;
import dev.sallyport.server.run.ProgramRun;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code sallyport run}, for the list of commands; {@link CommandLines} runs it without picocli. */
@Command(name = "run", description = "Run a program behind a proxy of its own.")
final class ProgramCommand implements Callable<Integer> {

    @Unmatched
    List<String> words = List.of();

    @Override
    public Integer call() throws Failure, InterruptedException {
        return ProgramRun.run(words);
    }
}
