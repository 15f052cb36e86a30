package dev.sallyport.control.account;

import java.time.Instant;

/** A code with which a device asks for a key. */
public record DeviceCode(String code, String verificationUri, Instant expiresAt) {

    /** Without the code. */
    @Override
    public String toString() {
        return "DeviceCode[until " + expiresAt + "]";
    }
}
