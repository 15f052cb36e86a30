package dev.sallyport.core.dns;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names with a meaning of their own, which lead neither to the proxy nor to another resolver. */
enum SpecialName {

    /** {@code localhost} and what lies below it (RFC 6761, 6.3). */
    LOCALHOST {
        @Override
        void answer(DnsReply reply, int owner, int type) {
            boolean four = type == DnsProtocol.A || type == DnsProtocol.ANY;
            boolean six = type == DnsProtocol.AAAA || type == DnsProtocol.ANY;
            if (four) {
                reply.address(owner, LOOPBACK_4);
            }
            if (six) {
                reply.address(owner, LOOPBACK_6);
            }
            if (!four && !six) {
                reply.noData(owner);
            }
        }
    },

    /** The reverse name of a loopback address (RFC 1035, 3.5; RFC 3596, 2.5). */
    LOOPBACK_REVERSED {
        @Override
        void answer(DnsReply reply, int owner, int type) {
            if (type == DnsProtocol.PTR || type == DnsProtocol.ANY) {
                reply.pointer(owner, LOCALHOST_WIRE);
            } else {
                reply.noData(owner);
            }
        }
    },

    /**
     * {@code invalid} and what lies below it (RFC 6761, 6.4), and the name by whose absence a network tells Firefox to
     * keep using its resolver.
     */
    ABSENT {
        @Override
        void answer(DnsReply reply, int owner, int type) {
            reply.noName(owner);
        }
    };

    private static final byte[] LOOPBACK_4 = {127, 0, 0, 1};
    private static final byte[] LOOPBACK_6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    private static final byte[] LOCALHOST_WIRE = Zone.wire("localhost");

    private static final String FIREFOX_CANARY = "use-application-dns.net";
    private static final String ONE_REVERSED = "1." + "0.".repeat(31) + "ip6.arpa";
    private static final Pattern NET_127_REVERSED = Pattern.compile("(?:\\d{1,3}\\.){3}127\\.in-addr\\.arpa");

    /** @param name in lower case, without a dot at its end */
    static @Nullable SpecialName of(String name) {
        if (isAtOrBelow(name, "localhost")) {
            return LOCALHOST;
        }
        if (isAtOrBelow(name, "invalid") || name.equals(FIREFOX_CANARY)) {
            return ABSENT;
        }
        boolean reversed = name.endsWith(".arpa")
                && (name.equals(ONE_REVERSED) || NET_127_REVERSED.matcher(name).matches());
        return reversed ? LOOPBACK_REVERSED : null;
    }

    private static boolean isAtOrBelow(String name, String top) {
        int above = name.length() - top.length();
        return name.endsWith(top) && (above == 0 || (above > 0 && name.charAt(above - 1) == '.'));
    }

    /**
     * Answers a question of this type.
     *
     * @param owner the offset of the name
     */
    abstract void answer(DnsReply reply, int owner, int type);
}
