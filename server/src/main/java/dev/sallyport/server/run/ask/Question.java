package dev.sallyport.server.run.ask;

import dev.sallyport.spi.Destination;

/**
 * Whether requests of one method and one path may go to a destination.
 *
 * @param path as it will be forwarded, without the query
 */
public record Question(String method, Destination destination, String path) {

    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    /** Such as {@code GET https://api.example.com/v1/users}. As the program sent it: may hold anything. */
    String text() {
        return method + " " + origin() + path;
    }

    /** Such as {@code https://api.example.com:8443}. */
    String origin() {
        String authority = destination.authority();
        int usual = destination.secure() ? HTTPS : HTTP;
        String shown = destination.port() == usual
                ? authority.substring(0, authority.length() - (":" + usual).length())
                : authority;
        return (destination.secure() ? "https://" : "http://") + shown;
    }
}
