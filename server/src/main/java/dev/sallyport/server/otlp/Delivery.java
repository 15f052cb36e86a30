package dev.sallyport.server.otlp;

import java.time.Duration;

/** How an attempt to deliver a batch ended. Texts come from collectors in part, and are cut. */
sealed interface Delivery {

    /** The longest text of a collector that is repeated. */
    int LONGEST_TEXT = 300;

    /** An exporter that did not get as far as its sender. */
    Delivery NOT_SENT = new Refused("it could not be encoded");

    /**
     * The collector has it.
     *
     * @param rejected how many items it has not accepted
     * @param message why
     */
    record Taken(long rejected, String message) implements Delivery {}

    /**
     * It may be sent again.
     *
     * @param pause how long the collector asks to wait; zero when it does not say
     */
    record Failed(String why, Duration pause) implements Delivery {}

    /** The collector will never take it. */
    record Refused(String why) implements Delivery {}

    /** As much of a text as is repeated. */
    static String cut(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "...";
    }
}
