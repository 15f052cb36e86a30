package dev.sallyport.server.cli;

import dev.sallyport.core.audit.chain.AuditNames;
import dev.sallyport.core.audit.chain.ChainVerifier;
import dev.sallyport.core.audit.chain.Checkpoint;
import dev.sallyport.core.audit.chain.Finding;
import dev.sallyport.core.audit.chain.NoteException;
import dev.sallyport.core.audit.chain.NoteKey;
import dev.sallyport.server.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sallyport audit verify [--key PUB] [--head NOTE] FILE...}. */
@Command(
        name = "verify",
        description = "Verify the chain of audit files. Exits with 0 when nothing is broken or cut, otherwise with 1.",
        footerHeading = "%n",
        footer = {
            "The files may be in any order. Checkpoints are read from NAME.checkpoints beside them. The last lines say",
            "  integrity: ok | broken at FILE:LINE seq N",
            "  completeness: ok | cut after seq N | unknown (no head)"
        })
final class AuditVerifyCommand implements Callable<Integer> {

    @Option(
            names = "--key",
            paramLabel = "PUB",
            description = "The public key; by default NAME.pub beside the first file.")
    @Nullable Path key;

    @Option(
            names = "--head",
            paramLabel = "NOTE",
            description = "A checkpoint that was kept elsewhere; sallyport audit head prints one.")
    @Nullable Path head;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "The audit files.")
    List<Path> files = List.of();

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure {
        List<Path> audit = new ArrayList<>();
        for (Path file : files) {
            if (AuditNames.isCompanion(file)) {
                System.out.println(file + ": left out, it holds no records");
            } else {
                audit.add(file);
            }
        }
        if (audit.isEmpty()) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "no audit file among these");
        }
        for (Path file : audit) {
            if (!Files.isRegularFile(file)) {
                throw AuditInput.failure(file, new NoSuchFileException(file.toString()));
            }
        }
        List<NoteKey> keys = keys(audit.getFirst());
        Checkpoint named = head(keys);
        try {
            return report(ChainVerifier.verify(audit, keys, named));
        } catch (IOException e) {
            throw AuditInput.failure(audit.getFirst(), e);
        }
    }

    private List<NoteKey> keys(Path audit) throws Failure {
        Path file = key == null ? audit : key;
        try {
            if (key == null) {
                Path real = Files.isSymbolicLink(audit) ? audit.toRealPath() : audit;
                file = AuditNames.publicKey(AuditNames.base(real));
            }
            List<NoteKey> keys = NoteKey.read(file);
            for (NoteKey each : keys) {
                System.out.println("key: " + each + (key == null ? " (" + file + ", beside the file)" : ""));
            }
            return keys;
        } catch (NoteException e) {
            throw new Failure(file + ": " + e.getMessage());
        } catch (IOException e) {
            throw new Failure(file + ": cannot be read (expected: the public key, as --key or beside the file)");
        }
    }

    private @Nullable Checkpoint head(List<NoteKey> keys) throws Failure {
        Path file = head;
        if (file == null) {
            return null;
        }
        try {
            return ChainVerifier.head(Files.readString(file), keys);
        } catch (NoteException e) {
            throw new Failure(file + ": " + e.getMessage());
        } catch (IOException e) {
            throw new Failure(file + ": cannot be read (expected: a checkpoint of sallyport audit head)");
        }
    }

    private static int report(ChainVerifier.Report report) {
        report.facts().forEach(System.out::println);
        Finding broken = report.broken();
        if (broken != null) {
            System.out.println("broken: " + broken.place() + ": " + broken.what());
        }
        System.out.println("integrity: " + (broken == null ? "ok" : "broken at " + broken.place()));
        System.out.println("completeness: "
                + switch (report.completeness()) {
                    case COMPLETE -> "ok";
                    case CUT -> "cut after seq " + report.last();
                    case UNKNOWN -> "unknown (no head)";
                });
        return report.isGood() ? ExitCode.OK : ExitCode.PROBLEM;
    }
}
