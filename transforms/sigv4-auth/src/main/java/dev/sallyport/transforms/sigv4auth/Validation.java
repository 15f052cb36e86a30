package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.headers.FieldSyntax;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks what the types of the configuration cannot express. */
record Validation(Problems problems) {

    private static final String PROVIDER = "/credentials_provider";

    void check(SigV4AuthConfig config) {
        if (config.rules().isEmpty()) {
            problems.add("/rules", "no rules", "at least one");
        }
        if (config.credentialsProvider() == null) {
            required("/access_key_id", config.accessKeyId());
            required("/secret_access_key", config.secretAccessKey());
        } else {
            exclusive("access_key_id", config.accessKeyId());
            exclusive("secret_access_key", config.secretAccessKey());
            exclusive("session_token", config.sessionToken());
            region(config.credentialsProvider().region());
        }
        names("/allowed_regions/", config.allowedRegions(), "a region, such as eu-west-1");
        names("/allowed_services/", config.allowedServices(), "a service as in credential scopes, such as s3");
    }

    private void required(String pointer, @Nullable Object value) {
        if (value == null) {
            problems.add(pointer, "missing", "a secret source, or credentials_provider");
        }
    }

    private void exclusive(String name, @Nullable Object value) {
        if (value != null) {
            problems.add(PROVIDER, "cannot be combined with " + name, "only one of them");
        }
    }

    private void region(@Nullable String region) {
        if (region != null && !FieldSyntax.isToken(region)) {
            problems.add(PROVIDER + "/region", "not the name of a region", "a name such as eu-west-1");
        }
    }

    private void names(String pointer, List<String> names, String expected) {
        for (int i = 0; i < names.size(); i++) {
            if (!FieldSyntax.isToken(names.get(i))) {
                problems.add(pointer + i, "no name", expected);
            }
        }
    }
}
