package dev.sallyport.control.account;

import dev.sallyport.control.model.Caller;

/**
 * A signed-in browser.
 *
 * @param csrf what its forms send along, which other sites cannot know
 */
public record Session(Caller caller, String csrf) {

    /** Without the CSRF token. */
    @Override
    public String toString() {
        return "Session[" + caller.userId() + "]";
    }
}
