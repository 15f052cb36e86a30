package dev.sallyport.control.secret;

/**
 * A secret with its value, as it lies in the database: encrypted for organization, table and identifier.
 *
 * @param version another one with each new value
 */
public record StoredSecret(Secret secret, long version, byte[] sealed) {

    /** Without the value. */
    @Override
    public String toString() {
        return "StoredSecret[" + secret.id() + ", " + version + "]";
    }
}
