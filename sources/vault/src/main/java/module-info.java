/** Secrets from 1Password. */
module dev.sallyport.sources.vault {
    requires transitive dev.sallyport.spi;
    requires static org.jspecify;
    requires com.fasterxml.jackson.annotation;
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.databind;

    exports dev.sallyport.sources.vault;

    provides dev.sallyport.spi.SecretSourceFactory with
            dev.sallyport.sources.vault.VaultSourceFactory,
            dev.sallyport.sources.vault.VaultConnectSourceFactory;
}
