package dev.sallyport.sources.aws;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the SDK finds in this JVM: nothing but what a test sets. Closing it restores what was there. */
final class SdkSettings implements AutoCloseable {

    private final Map<String, String> before = new LinkedHashMap<>();

    SdkSettings() {
        set("aws.disableEc2Metadata", "true");
        set("aws.configFile", "/nonexistent/config");
        set("aws.sharedCredentialsFile", "/nonexistent/credentials");
    }

    static SdkSettings withCredentials() {
        return new SdkSettings()
                .set("aws.accessKeyId", AwsEndpoint.KEY_ID)
                .set("aws.secretAccessKey", AwsEndpoint.SECRET_KEY)
                .set("aws.sessionToken", AwsEndpoint.SESSION_TOKEN);
    }

    SdkSettings set(String property, String value) {
        String old = System.setProperty(property, value);
        before.putIfAbsent(property, old == null ? "" : old);
        return this;
    }

    @Override
    public void close() {
        before.forEach((property, value) -> {
            if (value.isEmpty()) {
                System.clearProperty(property);
            } else {
                System.setProperty(property, value);
            }
        });
    }
}
