/** Secrets from AWS. */
module dev.sallyport.sources.aws {
    requires transitive dev.sallyport.spi;
    requires static org.jspecify;
    requires com.fasterxml.jackson.annotation;
    requires dev.sallyport.aws;
    requires dev.sallyport.toolkit;
    requires software.amazon.awssdk.auth;
    requires software.amazon.awssdk.awscore;
    requires software.amazon.awssdk.core;
    requires software.amazon.awssdk.identity.spi;
    requires software.amazon.awssdk.regions;
    requires software.amazon.awssdk.services.secretsmanager;
    requires software.amazon.awssdk.services.ssm;
    requires software.amazon.awssdk.utils;

    exports dev.sallyport.sources.aws;

    provides dev.sallyport.spi.SecretSourceFactory with
            dev.sallyport.sources.aws.CloudSmSourceFactory,
            dev.sallyport.sources.aws.CloudSsmSourceFactory;
}
