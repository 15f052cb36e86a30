package dev.sallyport.core.config;

import dev.sallyport.toolkit.match.Hosts;
import dev.sallyport.toolkit.match.InvalidHostException;

/** Splits {@code host:port} strictly. */
final class Ports {

    private Ports() {}

    /** The index of the colon before the port, or -1. */
    static int colon(String text) {
        int colon = text.lastIndexOf(':');
        boolean insideBrackets = text.startsWith("[") && text.indexOf(']') > colon;
        return insideBrackets ? -1 : colon;
    }

    static int port(String text, int least) {
        boolean number = text.matches("0|[1-9][0-9]{0,4}");
        int port = number ? Integer.parseInt(text) : -1;
        if (port < least || port > 65535) {
            throw new BadValueException("not a port", least + " to 65535");
        }
        return port;
    }

    static String host(String text, String expected) {
        try {
            return Hosts.canonical(text);
        } catch (InvalidHostException e) {
            throw new BadValueException("not a host", expected);
        }
    }
}
