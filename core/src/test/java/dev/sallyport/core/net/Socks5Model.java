package dev.sallyport.core.net;

import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.InvalidHostException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What all that a client of SOCKS5 sends comes to: RFC 1928 and 1929 written down once more, over the bytes as a whole.
 *
 * @param answers what the client is sent
 * @param target where the tunnel leads, or null
 * @param refused whether there is a record of a refusal
 * @param end where the handshake ends
 */
record Socks5Model(String answers, @Nullable String target, boolean refused, int end) {

    private static final class IncompleteException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        IncompleteException() {
            super(null, null, false, false);
        }
    }

    /** Reads on, or gives up for want of bytes. */
    private static final class Input {

        private final byte[] data;
        private int at;

        Input(byte[] data) {
            this.data = data;
        }

        int next() {
            if (at == data.length) {
                throw new IncompleteException();
            }
            return data[at++] & 0xFF;
        }

        byte[] next(int count) {
            if (data.length - at < count) {
                throw new IncompleteException();
            }
            at += count;
            return Arrays.copyOfRange(data, at - count, at);
        }

        boolean nothingLeft() {
            return at == data.length;
        }
    }

    /** @param asked whether a user "u" with the password "p" is asked for */
    static Socks5Model of(byte[] data, boolean asked) {
        StringBuilder answers = new StringBuilder();
        Input in = new Input(data);
        try {
            return in.nothingLeft() ? waiting(answers) : greeting(in, answers, asked);
        } catch (IncompleteException e) {
            return waiting(answers);
        }
    }

    private static Socks5Model waiting(StringBuilder answers) {
        return new Socks5Model(answers.toString(), null, false, 0);
    }

    private static Socks5Model refused(StringBuilder answers, String last) {
        return new Socks5Model(answers + last, null, true, 0);
    }

    private static Socks5Model greeting(Input in, StringBuilder answers, boolean asked) {
        if (in.next() != 5) {
            return refused(answers, "");
        }
        String methods = new String(in.next(in.next()), StandardCharsets.ISO_8859_1);
        boolean anonymous = methods.indexOf(0) >= 0;
        boolean password = methods.indexOf(2) >= 0;
        if (password && (asked || !anonymous)) {
            answers.append("\5\2");
            return credentials(in, answers, asked);
        }
        if (anonymous && !asked) {
            answers.append("\5\0");
            return request(in, answers);
        }
        return refused(answers, "\5\377");
    }

    private static Socks5Model credentials(Input in, StringBuilder answers, boolean asked) {
        if (in.next() != 1) {
            return refused(answers, "");
        }
        byte[] name = in.next(in.next());
        byte[] password = in.next(in.next());
        boolean right = Arrays.equals(name, new byte[] {'u'}) && Arrays.equals(password, new byte[] {'p'});
        if (asked && !right) {
            return refused(answers, "\1\1");
        }
        answers.append("\1\0");
        return request(in, answers);
    }

    private static Socks5Model request(Input in, StringBuilder answers) {
        if (in.next() != 5) {
            return refused(answers, reply(1));
        }
        int command = in.next();
        int reserved = in.next();
        int type = in.next();
        if (command != 1) {
            return refused(answers, reply(7));
        }
        if (reserved != 0) {
            return refused(answers, reply(1));
        }
        if (type != 1 && type != 3 && type != 4) {
            return refused(answers, reply(8));
        }
        byte[] address = in.next(type == 1 ? 4 : type == 4 ? 16 : in.next());
        int port = in.next() << 8 | in.next();
        Destination target = target(type, address, port);
        if (target == null) {
            return refused(answers, reply(1));
        }
        if (target.host().equals("denied.test")) {
            return refused(answers, reply(2));
        }
        return new Socks5Model(answers + reply(0), target.toString(), false, in.at);
    }

    private static @Nullable Destination target(int type, byte[] address, int port) {
        try {
            if (type != 3) {
                return port == 0 ? null : Destinations.ofAddress(InetAddress.getByAddress(address), port, true);
            }
            String name = new String(address, StandardCharsets.ISO_8859_1);
            return name.matches("[!-~]+") ? Destinations.parse(name, port, true) : null;
        } catch (InvalidHostException | UnknownHostException e) {
            return null;
        }
    }

    private static String reply(int code) {
        return "\5" + (char) code + "\0\1\0\0\0\0\0\0";
    }
}
