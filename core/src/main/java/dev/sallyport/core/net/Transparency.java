package dev.sallyport.core.net;

/** How the kernel brings connections that were meant for somebody else ({@code proxy.transparent}). */
public enum Transparency {
    /** It does not: whoever connects means the proxy. */
    OFF,
    /** By translating their destination (nftables {@code redirect}, {@code dnat}): the original one is asked for. */
    REDIRECT,
    /** By {@code tproxy}: sockets that listen for any address, whose local address is the original destination. */
    TPROXY
}
