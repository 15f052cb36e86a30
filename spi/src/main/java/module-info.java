/** The contract between the Sallyport engine and its plug-ins. */
module dev.sallyport.spi {
    requires static transitive org.jspecify;
    requires static transitive com.fasterxml.jackson.annotation;

    exports dev.sallyport.spi;

    uses dev.sallyport.spi.TransformFactory;
    uses dev.sallyport.spi.SecretSourceFactory;
    uses dev.sallyport.spi.KeyService;
}
