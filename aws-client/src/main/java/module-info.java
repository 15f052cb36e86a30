/** Credentials of AWS, and calls of its SDK through the engine's HTTP client. */
module dev.sallyport.aws {
    requires transitive dev.sallyport.spi;
    requires transitive software.amazon.awssdk.auth;
    requires transitive software.amazon.awssdk.http;
    requires transitive software.amazon.awssdk.regions;
    requires static org.jspecify;
    requires software.amazon.awssdk.awscore;
    requires software.amazon.awssdk.core;
    requires software.amazon.awssdk.identity.spi;
    requires software.amazon.awssdk.profiles;
    requires software.amazon.awssdk.services.sts;
    requires software.amazon.awssdk.utils;

    exports dev.sallyport.aws;
}
