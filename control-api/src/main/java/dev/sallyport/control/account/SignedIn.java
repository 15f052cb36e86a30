package dev.sallyport.control.account;

import dev.sallyport.control.model.Caller;

/**
 * Somebody who gave the right password.
 *
 * @param passwordHash the hash with which it was compared: a session begins only while it is the user's
 */
public record SignedIn(Caller caller, String passwordHash) {

    /** Without the hash. */
    @Override
    public String toString() {
        return "SignedIn[" + caller.userId() + "]";
    }
}
