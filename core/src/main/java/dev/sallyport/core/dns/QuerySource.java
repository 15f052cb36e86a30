package dev.sallyport.core.dns;

import java.net.InetAddress;

/** The sender of one query. Calls on the loop. */
interface QuerySource {

    /** The sender's address. */
    InetAddress address();

    /** Whether it came over TCP. */
    boolean overTcp();

    /** Sends the answer, which is copied; does nothing when the client is gone. */
    void send(DnsReply reply);
}
