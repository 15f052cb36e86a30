package dev.sallyport.server.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sallyport audit}: what can be done with audit files. */
@Command(
        name = "audit",
        description = "Read, search and verify audit files.",
        subcommands = {
            AuditGrepCommand.class,
            AuditHashCommand.class,
            AuditHeadCommand.class,
            AuditTailCommand.class,
            AuditVerifyCommand.class
        })
final class AuditCommand implements Callable<Integer> {

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "nothing to do");
    }
}
