package dev.sallyport.server.management;

/** Where the events of a stream come from. */
@FunctionalInterface
interface EventSource {

    /** Begins to send events, from any thread, until the subscription is closed. */
    Subscription subscribe(EventSink to);

    /** Receives events. Never blocks: a reader that is too slow misses some, and is told how many. Thread-safe. */
    @FunctionalInterface
    interface EventSink {

        /** @param data on one line */
        void event(String name, byte[] data);
    }

    /** To be closed when the client has left. */
    @FunctionalInterface
    interface Subscription extends AutoCloseable {

        @Override
        void close();
    }
}
