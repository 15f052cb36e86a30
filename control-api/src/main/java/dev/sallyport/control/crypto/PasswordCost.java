package dev.sallyport.control.crypto;

/**
 * What it costs to compute a password hash with Argon2id (RFC 9106). A hash says what it cost, so that it is verified at
 * that price whatever new ones cost.
 *
 * @param memoryKib the memory in KiB
 * @param passes how often that is gone through
 */
public record PasswordCost(int memoryKib, int passes) {

    /** 19 MiB and two passes. */
    public static final PasswordCost STANDARD = new PasswordCost(19_456, 2);
}
