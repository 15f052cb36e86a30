package dev.sallyport.toolkit.headers;

/** Fields that belong to the engine, by what they do. Names are compared ignoring case; nothing is allocated. */
public final class ReservedFields {

    private ReservedFields() {}

    /** Routing, framing and connection handling: no transform may edit these. */
    public static boolean isReserved(String name) {
        return switch (name.length()) {
            case 2 -> name.equalsIgnoreCase("TE");
            case 4 -> name.equalsIgnoreCase("Host");
            case 7 -> name.equalsIgnoreCase("Trailer") || name.equalsIgnoreCase("Upgrade");
            case 14 -> name.equalsIgnoreCase("Content-Length");
            case 18 -> name.equalsIgnoreCase("Proxy-Authenticate");
            case 19 -> name.equalsIgnoreCase("Proxy-Authorization");
            default -> isConnectionSpecific(name);
        };
    }

    /** Fields that describe only an HTTP/1.1 connection; HTTP/2 does not have them (RFC 9113, 8.2.2). */
    public static boolean isConnectionSpecific(String name) {
        return switch (name.length()) {
            case 7 -> name.equalsIgnoreCase("Upgrade");
            case 10 -> name.equalsIgnoreCase("Connection") || name.equalsIgnoreCase("Keep-Alive");
            case 16 -> name.equalsIgnoreCase("Proxy-Connection");
            case 17 -> name.equalsIgnoreCase("Transfer-Encoding");
            default -> false;
        };
    }

    /** Fields that route or frame a message, which trailers must not contain (RFC 9110, 6.5.1). */
    public static boolean isHeadOnly(String name) {
        return switch (name.length()) {
            case 4 -> name.equalsIgnoreCase("Host");
            case 7 -> name.equalsIgnoreCase("Trailer");
            case 14 -> name.equalsIgnoreCase("Content-Length");
            case 17 -> name.equalsIgnoreCase("Transfer-Encoding");
            default -> false;
        };
    }
}
