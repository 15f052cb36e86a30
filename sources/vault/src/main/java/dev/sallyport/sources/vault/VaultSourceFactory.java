package dev.sallyport.sources.vault;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;

/** The source {@code vault}, also called {@code 1password}: a field of an item, read by the vendor's command. */
public final class VaultSourceFactory implements SecretSourceFactory<VaultSource> {

    /** For {@link java.util.ServiceLoader}. */
    public VaultSourceFactory() {}

    @Override
    public Descriptor<VaultSource> descriptor() {
        return Descriptor.of("vault", VaultSource.class, "Reads a field of a 1Password item by the command `op`.")
                .alsoNamed("1password");
    }

    @Override
    public void validate(VaultSource config, Problems problems) {
        SecretReference reference = Fields.reference(config.secretRef(), problems);
        if (reference != null && reference.parts().stream().anyMatch(VaultSourceFactory::cannotBeTold)) {
            problems.add("/secret_ref", "a name with / or ?, which the command would misread", "its id");
        }
        Fields.variable("/token_env", config.tokenEnv(), "a name such as VAULT_SERVICE_ACCOUNT_TOKEN", problems);
        if (config.command().isBlank() || config.command().indexOf('\0') >= 0) {
            problems.add("/command", "not the name or path of a program", "op, or a path such as /usr/local/bin/op");
        }
    }

    private static boolean cannotBeTold(String part) {
        return part.indexOf('/') >= 0 || part.indexOf('?') >= 0;
    }

    @Override
    public SecretSource create(VaultSource config, SourceContext context) {
        return new CommandSource(
                Fields.reference(config.secretRef()),
                config.tokenEnv(),
                config.command(),
                context,
                ProgramRun.Limits.USUAL);
    }
}
