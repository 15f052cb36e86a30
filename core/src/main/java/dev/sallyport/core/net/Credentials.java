package dev.sallyport.core.net;

/**
 * A user name and a password as a client shows them; not compared with anything yet.
 *
 * @param password its bytes, owned by this record
 */
record Credentials(String name, byte[] password) {

    /** Shows neither: a password may have been typed into the wrong field. */
    @Override
    public String toString() {
        return "Credentials[***]";
    }
}
