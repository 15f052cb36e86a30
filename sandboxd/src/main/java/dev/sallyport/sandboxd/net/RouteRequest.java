package dev.sallyport.sandboxd.net;

import dev.sallyport.linux.SystemCalls;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A request to rtnetlink(7). Values are in the byte order of this machine, addresses as they are on the wire. */
final class RouteRequest {

    static final short NEW_LINK = 16;
    static final short DELETE_LINK = 17;
    static final short GET_LINK = 18;
    static final short SET_LINK = 19;
    static final short NEW_ADDRESS = 20;
    static final short DELETE_ADDRESS = 21;
    static final short NEW_ROUTE = 24;

    static final short REPLACE = 0x100;
    static final short EXCLUSIVE = 0x200;
    static final short CREATE = 0x400;

    private static final short REQUEST_AND_ACK = 5;
    private static final byte AF_INET = 2;
    private static final int HEADER = 16;
    private static final int LARGEST = 512;
    private static final int ALIGNED = 4;
    private static final byte HOST_BITS = 32;
    private static final byte MAIN_TABLE = (byte) 254;
    private static final byte BY_ADMINISTRATOR = 3;
    private static final byte ON_LINK = (byte) 253;
    private static final byte UNICAST = 1;

    private final ByteBuffer buffer = SystemCalls.memory(LARGEST);

    /**
     * Without a body.
     *
     * @param flags besides those for a request with an answer
     */
    RouteRequest(short type, int flags) {
        buffer.putInt(0)
                .putShort(type)
                .putShort((short) (REQUEST_AND_ACK | flags))
                .putInt(1)
                .putInt(0);
    }

    /**
     * Says which interface: {@code struct ifinfomsg}.
     *
     * @param index 0 where an attribute has its name
     * @param flags those that it is to have, of {@code changed}
     */
    RouteRequest link(int index, int flags, int changed) {
        buffer.putInt(0).putInt(index).putInt(flags).putInt(changed);
        return this;
    }

    /** Says which interface an address is of: {@code struct ifaddrmsg}, of one address alone. */
    RouteRequest addressOf(int index) {
        buffer.put(AF_INET).put(HOST_BITS).putShort((short) 0).putInt(index);
        return this;
    }

    /**
     * Says what kind of route it is: {@code struct rtmsg}.
     *
     * @param toOne whether it leads to one address, else to all
     * @param onLink whether that is at the interface, else behind a gateway
     */
    RouteRequest route(boolean toOne, boolean onLink) {
        buffer.put(AF_INET).put(toOne ? HOST_BITS : 0).putShort((short) 0);
        buffer.put(MAIN_TABLE).put(BY_ADMINISTRATOR).put(onLink ? ON_LINK : 0).put(UNICAST);
        buffer.putInt(0);
        return this;
    }

    /** An attribute that is a number. */
    RouteRequest number(int attribute, int value) {
        int begin = begin(attribute);
        buffer.putInt(value);
        return end(begin);
    }

    /** An attribute that is a name. */
    RouteRequest name(int attribute, String value) {
        return attribute(attribute, (value + "\0").getBytes(StandardCharsets.US_ASCII));
    }

    /** An attribute that is an address. */
    RouteRequest address(int attribute, Inet4Address value) {
        return attribute(attribute, value.getAddress());
    }

    private RouteRequest attribute(int attribute, byte[] value) {
        int begin = begin(attribute);
        buffer.put(value);
        return end(begin);
    }

    /** Begins an attribute that has others; returns where, for its end. */
    int begin(int attribute) {
        int begin = buffer.position();
        buffer.putShort((short) 0).putShort((short) attribute);
        return begin;
    }

    /** Ends an attribute. */
    RouteRequest end(int begin) {
        buffer.putShort(begin, (short) (buffer.position() - begin));
        while (buffer.position() % ALIGNED != 0) {
            buffer.put((byte) 0);
        }
        return this;
    }

    /** All of it, from the first byte to the last. */
    ByteBuffer bytes() {
        buffer.putInt(0, Math.max(HEADER, buffer.position()));
        return buffer;
    }

    /** How many bytes that are. */
    int length() {
        return buffer.position();
    }
}
