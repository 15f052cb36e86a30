package dev.sallyport.control.feed;

/** The open answer to a proxy. Thread-safe; never blocks. */
public interface Outlet {

    /**
     * Sends an event; one that cannot be taken ends the answer.
     *
     * @param data JSON, in one line
     */
    void send(String event, String data);

    /** Ends the answer; later events are dropped. */
    void end();
}
