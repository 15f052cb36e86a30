package dev.sallyport.core.net.http1;

import dev.sallyport.core.net.connection.StallDetector.Turn;

/** Tells whose turn it is in an exchange on an HTTP/1.1 connection. */
final class StallProbe {

    private StallProbe() {}

    /**
     * The party whose turn it is.
     *
     * @param writable whether the client has taken most of what was written
     * @param inputEnded whether the client has closed its half
     * @param sends whether the client owes more of its request, and more is being read
     * @param answered whether a response has begun
     */
    static Turn turn(boolean writable, boolean inputEnded, boolean sends, boolean answered) {
        if (!writable) {
            return Turn.READ;
        } else if (inputEnded) {
            return Turn.HALF_CLOSED;
        } else if (!sends) {
            return Turn.NOT_ITS;
        }
        return answered ? Turn.SEND_ON : Turn.SEND;
    }
}
