package dev.sallyport.control.model;

/** Which addresses are counted as one client. */
public final class Networks {

    private static final int GROUPS = 4;
    private static final int GROUPS_OF_SITE = 3;

    private Networks() {}

    /**
     * What limits count: an IPv4 address itself, of an IPv6 address the /64, which one customer has whole (RFC 6177).
     *
     * @param address as {@link java.net.InetAddress#getHostAddress} writes it
     */
    public static String of(String address) {
        int end = groups(address, GROUPS);
        return end < 0 ? address : address.substring(0, end) + "::/64";
    }

    /** A wider one: of an IPv4 address the /24, of an IPv6 address the /48, which whoever has many networks has, too. */
    public static String site(String address) {
        int end = groups(address, GROUPS_OF_SITE);
        if (end >= 0) {
            return address.substring(0, end) + "::/48";
        }
        int last = address.lastIndexOf('.');
        return last < 0 ? address : address.substring(0, last) + ".0/24";
    }

    /** Where so many groups of an IPv6 address end; negative for another address. */
    private static int groups(String address, int count) {
        int end = -1;
        for (int i = 0; i < count; i++) {
            end = address.indexOf(':', end + 1);
            if (end < 0) {
                return end;
            }
        }
        return end;
    }
}
