/** What plug-ins and the engine share: matching, templates, scanning, header patterns. Usable without the engine. */
module dev.sallyport.toolkit {
    requires transitive dev.sallyport.spi;
    requires static transitive org.jspecify;
    requires re2j;
    requires com.aayushatharva.brotli4j;
    requires com.github.luben.zstd_jni;

    exports dev.sallyport.toolkit.coding;
    exports dev.sallyport.toolkit.headers;
    exports dev.sallyport.toolkit.match;
    exports dev.sallyport.toolkit.redact;
    exports dev.sallyport.toolkit.secret;
    exports dev.sallyport.toolkit.template;
    exports dev.sallyport.toolkit.scan;
    exports dev.sallyport.toolkit.token;
}
