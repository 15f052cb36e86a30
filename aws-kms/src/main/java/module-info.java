/** Keys that AWS KMS keeps. */
module dev.sallyport.aws.kms {
    requires transitive dev.sallyport.spi;
    requires static org.jspecify;
    requires software.amazon.awssdk.core;
    requires software.amazon.awssdk.awscore;
    requires software.amazon.awssdk.http;
    requires software.amazon.awssdk.http.urlconnection;
    requires software.amazon.awssdk.regions;
    requires software.amazon.awssdk.services.kms;

    exports dev.sallyport.aws.kms;

    provides dev.sallyport.spi.KeyService with
            dev.sallyport.aws.kms.AwsKms;
}
