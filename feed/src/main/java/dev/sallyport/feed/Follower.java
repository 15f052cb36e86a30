package dev.sallyport.feed;

import dev.sallyport.spi.ConfigException;
import java.io.IOException;

/**
 * What a proxy makes of what its control plane says: of the one pipeline of its organization, or of all accounts. For the
 * thread that reads the stream, but for {@link #expire} and {@link #end}, which may be called by another one. What changes
 * something blocks until the proxy goes by it.
 */
interface Follower {

    /** Refuses everybody, unless something was kept that may still be used: that comes into force. */
    void prepare() throws ConfigException;

    /** As {@link #prepare}, where what was kept could not be read then, and can be now. */
    void prepareLate();

    /** What is there already. */
    Holding held();

    /**
     * A connection has begun.
     *
     * @param proxy what the control plane calls this proxy
     * @param epoch of its numbers
     * @param stream what it calls the connection; empty when it does not
     */
    record Greeting(String proxy, String epoch, String stream) {

        static final Greeting NONE = new Greeting("", "", "");
    }

    /** A connection has begun, or, with {@link Greeting#NONE}, is about to. */
    void greeted(Greeting greeting);

    /**
     * Goes by what came.
     *
     * @return whether it tells that the connection is of use
     * @throws IOException when nothing can be made of it: the connection is to be made anew
     */
    boolean received(EventReader.Event event) throws IOException, InterruptedException;

    /** What has been held for too long holds no more; returns whether to ask for it again. */
    boolean expire();

    /** Forgets everything, and refuses everybody. */
    void end();
}
