package dev.sallyport.server.cli;

import dev.sallyport.core.audit.chain.AuditNames;
import dev.sallyport.core.audit.chain.CheckpointFiles;
import dev.sallyport.core.audit.chain.CheckpointReader;
import dev.sallyport.core.audit.chain.NoteException;
import dev.sallyport.server.Failure;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sallyport audit head FILE}. */
@Command(
        name = "head",
        description = "Print the last signed checkpoint of an audit file, to keep elsewhere.",
        footerHeading = "%n",
        footer = {"sallyport audit verify --head NOTE then tells whether records are missing at the end."})
final class AuditHeadCommand implements Callable<Integer> {

    @Parameters(paramLabel = "FILE", description = "The audit file.")
    Path file = Path.of("");

    @Mixin
    HelpOption help = new HelpOption();

    /** What is beside a file is beside what a link leads to. */
    private static Path real(Path file) throws Failure {
        try {
            return Files.isSymbolicLink(file) ? file.toRealPath() : file;
        } catch (IOException e) {
            throw AuditInput.failure(file, e);
        }
    }

    @Override
    public Integer call() throws Failure {
        Path audit = AuditNames.base(real(file));
        Path checkpoints = AuditNames.checkpoints(audit);
        try {
            CheckpointReader.Last last = CheckpointFiles.last(audit);
            if (last == null) {
                throw new Failure(
                        checkpoints + ": no checkpoint (expected: a proxy with log.audit.chain has written one)");
            }
            PrintStream out = AuditInput.out();
            out.print(last.whole());
            out.flush();
            return ExitCode.OK;
        } catch (NoteException e) {
            throw new Failure(checkpoints + ": " + e.getMessage());
        } catch (IOException e) {
            throw AuditInput.failure(checkpoints, e);
        }
    }
}
