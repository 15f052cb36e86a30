package dev.sallyport.transforms.oauthtoken;

import java.util.List;
import java.util.Locale;

/** The grant that is exchanged for a token. */
public enum Grant {
    /** RFC 6749, 6. */
    REFRESH_TOKEN("refresh_token"),
    /** RFC 6749, 4.4. */
    CLIENT_CREDENTIALS("client_credentials"),
    /** RFC 6749, 4.3. */
    PASSWORD("password"),
    /** RFC 7523, 2.1. */
    JWT_BEARER("urn:ietf:params:oauth:grant-type:jwt-bearer");

    private final String type;

    Grant(String type) {
        this.type = type;
    }

    /** The value of {@code grant_type}. */
    String type() {
        return type;
    }

    /** The required credentials. */
    List<String> required() {
        return switch (this) {
            case REFRESH_TOKEN -> List.of("refresh_token", "client_id");
            case CLIENT_CREDENTIALS -> List.of("client_id", "client_secret");
            case PASSWORD -> List.of("username", "password", "client_id");
            case JWT_BEARER -> List.of("issuer", "subject", "private_key");
        };
    }

    /** Whether it uses a credential. */
    boolean uses(String credential) {
        return required().contains(credential) || credential.equals(optional());
    }

    private String optional() {
        return this == JWT_BEARER ? "private_key_id" : "client_secret";
    }

    /** The name in the configuration. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
