package dev.sallyport.core.net.request;

/** A user name and a password as a client presents them; not yet verified. */
public final class ProxyCredentials {

    private final String name;
    private final byte[] password;

    /** @param password its bytes, which must not change afterwards */
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
