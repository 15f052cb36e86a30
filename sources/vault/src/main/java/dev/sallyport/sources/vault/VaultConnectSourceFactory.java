package dev.sallyport.sources.vault;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;

/** The source {@code vault_connect}, also called {@code 1password_connect}: a field of an item, asked of a Connect server. */
public final class VaultConnectSourceFactory implements SecretSourceFactory<VaultConnectSource> {

    /** For {@link java.util.ServiceLoader}. */
    public VaultConnectSourceFactory() {}

    @Override
    public Descriptor<VaultConnectSource> descriptor() {
        return Descriptor.of(
                        "vault_connect",
                        VaultConnectSource.class,
                        "Reads a field of a 1Password item from a Connect server.")
                .alsoNamed("1password_connect");
    }

    @Override
    public void validate(VaultConnectSource config, Problems problems) {
        SecretReference reference = Fields.reference(config.secretRef(), problems);
        if (reference != null && !reference.query().isEmpty()) {
            problems.add(
                    "/secret_ref",
                    "a reference with attributes, which a Connect server does not support",
                    "none after ?");
        }
        Fields.variable("/host_env", config.hostEnv(), "a name such as VAULT_CONNECT_HOST", problems);
        Fields.variable("/token_env", config.tokenEnv(), "a name such as VAULT_CONNECT_TOKEN", problems);
    }

    @Override
    public SecretSource create(VaultConnectSource config, SourceContext context) {
        return new ConnectSource(Fields.reference(config.secretRef()), config.hostEnv(), config.tokenEnv(), context);
    }
}
