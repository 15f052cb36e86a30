package dev.sallyport.core.http;

/** Names of protocols in {@code Upgrade} that the engine itself knows. */
public final class UpgradeTokens {

    /** In lower case, as it is compared once read (RFC 6455, 11.2), and as {@code :protocol} has it (RFC 8441, 4). */
    public static final String WEBSOCKET = "websocket";

    private UpgradeTokens() {}
}
