/** The contract between the Sallyport engine and its plug-ins. */
module dev.sallyport.spi {
    requires static transitive org.jspecify;
    requires static transitive com.fasterxml.jackson.annotation;
}
