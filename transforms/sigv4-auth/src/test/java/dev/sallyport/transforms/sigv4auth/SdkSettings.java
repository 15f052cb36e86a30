package dev.sallyport.transforms.sigv4auth;

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

    SdkSettings withCredentials() {
        return set("aws.accessKeyId", Workload.KEY_ID)
                .set("aws.secretAccessKey", Workload.SECRET)
                .set("aws.sessionToken", Workload.TOKEN);
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
