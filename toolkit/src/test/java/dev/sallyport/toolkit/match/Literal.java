package dev.sallyport.toolkit.match;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Addresses from their text, read by the JDK and not by what is tested. */
final class Literal {

    private Literal() {}

    static InetAddress of(String text) {
        try {
            return InetAddress.getAllByName(text)[0];
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
