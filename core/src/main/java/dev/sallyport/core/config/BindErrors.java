package dev.sallyport.core.config;

/** Explains why an address could not be bound. */
public final class BindErrors {

    private BindErrors() {}

    /** In one line, without the address. */
    public static String reason(Throwable cause) {
        String message = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        if (message.contains("Address already in use")) {
            return "the port is taken";
        }
        if (message.contains("Operation not permitted")) {
            return "not permitted (expected: the capability CAP_NET_ADMIN, which tproxy needs)";
        }
        if (message.contains("Permission denied")) {
            return "permission denied (expected: a port of 1024 or higher, or the capability to bind lower ones)";
        }
        if (message.contains("Cannot assign requested address")) {
            return "not an address of this machine";
        }
        return message;
    }
}
