/** Secrets from where the proxy runs. */
module dev.sallyport.sources.local {
    requires transitive dev.sallyport.spi;
    requires static org.jspecify;
    requires com.fasterxml.jackson.annotation;

    exports dev.sallyport.sources.local;

    provides dev.sallyport.spi.SecretSourceFactory with
            dev.sallyport.sources.local.EnvSourceFactory,
            dev.sallyport.sources.local.FileSourceFactory;
}
