package dev.sallyport.server.otlp;

/** What waits in a queue. */
interface Sized {

    /** About how much memory it takes. */
    int bytes();
}
