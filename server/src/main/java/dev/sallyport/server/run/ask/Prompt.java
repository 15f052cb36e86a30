package dev.sallyport.server.run.ask;

import java.util.List;

/** Puts one question at a time to a person. */
@FunctionalInterface
public interface Prompt {

    /**
     * Asks, and waits for the answer for a bounded time.
     *
     * @param credentials the names of those transforms that may add credentials to requests to this destination
     */
    Answer put(Question question, List<String> credentials) throws InterruptedException;
}
