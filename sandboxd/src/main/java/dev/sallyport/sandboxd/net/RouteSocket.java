package dev.sallyport.sandboxd.net;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.SystemCalls.Call;
import dev.sallyport.sandboxd.system.Calls;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.ByteBuffer;

/**
 * Interfaces, addresses and routes of the network namespace in which the thread is that opens this: what {@code ip} does,
 * without a program. The kernel has done what was asked when a function returns. Not thread-safe.
 */
final class RouteSocket implements AutoCloseable {

    /** The index of the interface {@code lo}, in every namespace. */
    static final int LOOPBACK = 1;

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int NETLINK_ROUTE = 0;
    private static final int BUFFER = 16_384;

    private static final int TYPE_AT = 4;
    private static final int ERROR_AT = 16;
    private static final int INDEX_AT = 20;
    private static final short ERROR = 2;
    private static final int UP = 1;

    private static final int LINK_NAME = 3;
    private static final int LINK_INFORMATION = 18;
    private static final int LINK_NAMESPACE = 28;
    private static final int INFORMATION_KIND = 1;
    private static final int INFORMATION_DATA = 2;
    private static final int PEER = 1;
    private static final int ADDRESS = 1;
    private static final int LOCAL_ADDRESS = 2;
    private static final int ROUTE_TO = 1;
    private static final int ROUTE_DEVICE = 4;
    private static final int ROUTE_GATEWAY = 5;
    private static final int ROUTE_SOURCE = 7;

    private final SystemCalls calls;
    private final int socket;
    private final ByteBuffer buffer = SystemCalls.memory(BUFFER);

    private RouteSocket(SystemCalls calls, int socket) {
        this.calls = calls;
        this.socket = socket;
    }

    /** Of the namespace of this thread. */
    static RouteSocket open() throws IOException {
        return open(Calls.open());
    }

    /** The same, with the calls of this thread. */
    static RouteSocket open(SystemCalls calls) throws SystemCallException {
        return new RouteSocket(calls, (int)
                calls.make("a netlink socket", Call.SOCKET, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    }

    /**
     * Makes a cable with an end here and one in another namespace; both are down.
     *
     * @param here the name of the end here
     * @param there the name of the other one
     * @param namespace the other namespace, as a descriptor
     */
    void pair(String here, String there, int namespace) throws SystemCallException {
        RouteRequest request = new RouteRequest(RouteRequest.NEW_LINK, RouteRequest.CREATE | RouteRequest.EXCLUSIVE)
                .link(0, 0, 0)
                .name(LINK_NAME, here);
        int information = request.begin(LINK_INFORMATION);
        request.name(INFORMATION_KIND, "veth");
        int data = request.begin(INFORMATION_DATA);
        int peer = request.begin(PEER);
        request.link(0, 0, 0).name(LINK_NAME, there).number(LINK_NAMESPACE, namespace);
        request.end(peer).end(data).end(information);
        ask("making the cable " + there, request);
    }

    /** The index of an interface. */
    int index(String name) throws SystemCallException {
        return ask(
                "looking for the interface " + name,
                new RouteRequest(RouteRequest.GET_LINK, 0).link(0, 0, 0).name(LINK_NAME, name));
    }

    /** Brings an interface up. */
    void up(int index) throws SystemCallException {
        ask("bringing up the interface " + index, new RouteRequest(RouteRequest.SET_LINK, 0).link(index, UP, UP));
    }

    /** Takes an interface down. */
    void down(String name) throws SystemCallException {
        ask(
                "taking down the interface " + name,
                new RouteRequest(RouteRequest.SET_LINK, 0).link(0, 0, UP).name(LINK_NAME, name));
    }

    /** Moves an interface to another namespace, as a descriptor. */
    void move(String name, int namespace) throws SystemCallException {
        ask(
                "taking the interface %s out of its namespace".formatted(name),
                new RouteRequest(RouteRequest.SET_LINK, 0)
                        .link(0, 0, 0)
                        .name(LINK_NAME, name)
                        .number(LINK_NAMESPACE, namespace));
    }

    /** Removes an interface. */
    void delete(String name) throws SystemCallException {
        ask(
                "removing the interface " + name,
                new RouteRequest(RouteRequest.DELETE_LINK, 0).link(0, 0, 0).name(LINK_NAME, name));
    }

    /** Gives an interface an address, alone in its subnet; it may have it. */
    void address(int index, Inet4Address address) throws SystemCallException {
        ask(
                "giving the interface %d the address %s".formatted(index, address.getHostAddress()),
                ofAddress(RouteRequest.NEW_ADDRESS, RouteRequest.CREATE | RouteRequest.REPLACE, index, address));
    }

    /** Takes an address from an interface. */
    void deleteAddress(int index, Inet4Address address) throws SystemCallException {
        ask(
                "taking the address %s from the interface %d".formatted(address.getHostAddress(), index),
                ofAddress(RouteRequest.DELETE_ADDRESS, 0, index, address));
    }

    private static RouteRequest ofAddress(short type, int flags, int index, Inet4Address address) {
        return new RouteRequest(type, flags)
                .addressOf(index)
                .address(LOCAL_ADDRESS, address)
                .address(ADDRESS, address);
    }

    /** Makes a route to one address, at an interface that is up; one that leads there is replaced. */
    void route(Inet4Address to, int index) throws SystemCallException {
        ask(routeTo(to.getHostAddress()), to(to, index));
    }

    /** The same, with the address that connections from here have. */
    void route(Inet4Address to, int index, Inet4Address source) throws SystemCallException {
        ask(routeTo(to.getHostAddress()), to(to, index).address(ROUTE_SOURCE, source));
    }

    private static RouteRequest to(Inet4Address to, int index) {
        return new RouteRequest(RouteRequest.NEW_ROUTE, RouteRequest.CREATE | RouteRequest.REPLACE)
                .route(true, true)
                .address(ROUTE_TO, to)
                .number(ROUTE_DEVICE, index);
    }

    /** Makes a route to all other addresses. */
    void routeBehind(Inet4Address gateway) throws SystemCallException {
        ask(
                routeTo("all behind " + gateway.getHostAddress()),
                new RouteRequest(RouteRequest.NEW_ROUTE, RouteRequest.CREATE | RouteRequest.EXCLUSIVE)
                        .route(false, false)
                        .address(ROUTE_GATEWAY, gateway));
    }

    private static String routeTo(String where) {
        return "making a route to " + where;
    }

    /** Asks, and returns the index of the interface in the answer; 0 where it has none. */
    private int ask(String what, RouteRequest request) throws SystemCallException {
        calls.makeWith(what, Call.SENDTO, socket, request.bytes(), request.length(), 0, 0, 0);
        int index = 0;
        while (true) {
            int read = (int) calls.makeWith(what, Call.RECVFROM, socket, buffer, BUFFER, 0, 0, 0);
            if (read < ERROR_AT + Integer.BYTES) {
                throw new SystemCallException(what, SystemCallException.EINVAL);
            }
            if (buffer.getShort(TYPE_AT) == ERROR) {
                int error = -buffer.getInt(ERROR_AT);
                if (error != 0) {
                    throw new SystemCallException(what, error);
                }
                return index;
            }
            index = buffer.getInt(INDEX_AT);
        }
    }

    @Override
    public void close() throws SystemCallException {
        calls.close(socket);
    }
}
