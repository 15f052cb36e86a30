package dev.sallyport.control.account;

/** Sends mail to users. Thread-safe. */
public interface Mail {

    /** Sends the link that verifies an address, soon; a failure is logged. Does not block. */
    void verification(String address, String link);
}
