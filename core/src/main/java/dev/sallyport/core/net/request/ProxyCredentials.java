package dev.sallyport.core.net.request;

/** A user name and a password as a client shows them; not compared with anything yet. */
public final class ProxyCredentials {

    private final String name;
    private final byte[] password;

    /** @param password its bytes, which nobody else changes */
    public ProxyCredentials(String name, byte[] password) {
        this.name = name;
        this.password = password;
    }

    String name() {
        return name;
    }

    byte[] password() {
        return password;
    }

    /** Shows neither: a password may have been typed into the wrong field. */
    @Override
    public String toString() {
        return "Credentials[***]";
    }
}
