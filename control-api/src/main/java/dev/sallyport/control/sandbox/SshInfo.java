package dev.sallyport.control.sandbox;

/**
 * How to log in.
 *
 * @param command the same for a shell
 */
public record SshInfo(String host, int port, String username, String command) {

    private static final String USER = "root";

    static SshInfo of(String host, int port) {
        return new SshInfo(host, port, USER, "ssh -p " + port + " " + USER + "@" + host);
    }
}
