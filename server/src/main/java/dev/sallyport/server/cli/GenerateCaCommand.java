package dev.sallyport.server.cli;

import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.server.Failure;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sallyport generate-ca}: makes the authority that workloads must trust, and its key. */
@Command(
        name = "generate-ca",
        description = "Make a certificate authority: a certificate for the workloads to trust, and its private key.")
final class GenerateCaCommand implements Callable<Integer> {

    private static final int MAX_DAYS = 36_500;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            defaultValue = "ca.crt",
            description = "Where to write the certificate (${DEFAULT-VALUE}).")
    Path certificate = Path.of("");

    @Option(
            names = "--key",
            paramLabel = "FILE",
            defaultValue = "ca.key",
            description = "Where to write the private key, readable only by you (${DEFAULT-VALUE}).")
    Path key = Path.of("");

    @Option(
            names = "--name",
            defaultValue = "Sallyport CA",
            paramLabel = "NAME",
            description = "Its common name (${DEFAULT-VALUE}).")
    String name = "";

    @Option(
            names = "--days",
            defaultValue = "3650",
            paramLabel = "N",
            description = "How long it is valid (${DEFAULT-VALUE}).")
    int days;

    @Option(names = "--force", description = "Overwrite existing files.")
    boolean force;

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure {
        if (days < 1 || days > MAX_DAYS) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "--days must lie between 1 and " + MAX_DAYS);
        }
        if (certificate.toAbsolutePath().normalize().equals(key.toAbsolutePath().normalize())) {
            throw new Failure(certificate + ": certificate and key (expected: two files)");
        }
        if (!force) {
            refuseToOverwrite(certificate);
            refuseToOverwrite(key);
        }
        CertificateAuthority authority = CertificateAuthority.generate(name, Duration.ofDays(days));
        try {
            authority.write(certificate, key);
        } catch (NoSuchFileException e) {
            throw new Failure(e.getFile() + ": cannot be written (expected: an existing folder)");
        } catch (AccessDeniedException e) {
            throw new Failure(e.getFile() + ": cannot be written: permission denied");
        } catch (IOException e) {
            throw new Failure(certificate + ", " + key + ": cannot be written: " + e.getMessage());
        }
        var end = authority.certificate().getNotAfter().toInstant().atZone(ZoneOffset.UTC);
        System.out.println(
                certificate + ": the certificate, valid until " + end.toLocalDate() + "; workloads must trust it");
        System.out.println(key + ": its private key; whoever has it can read their traffic");
        return ExitCode.OK;
    }

    private static void refuseToOverwrite(Path file) throws Failure {
        if (Files.exists(file)) {
            throw new Failure(file + ": already exists (expected: another name, or --force)");
        }
    }
}
