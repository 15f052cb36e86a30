package dev.sallyport.core.loop;

import java.util.Set;

/** The check of a transition between two states of a machine whose states are the constants of an enum. */
public final class Transition {

    private Transition() {}

    /**
     * Returns the next state.
     *
     * @param event the name of the transition, for the message
     * @param sources the states that allow it
     * @throws IllegalStateException when {@code from} is none of the sources: a fault of the proxy
     */
    public static <S extends Enum<S>> S check(S from, S next, String event, Set<S> sources) {
        if (!sources.contains(from)) {
            throw new IllegalStateException(
                    "transition: " + event + " from " + from + " (expected: from one of " + sources + ")");
        }
        return next;
    }

    /** As {@link #check(Enum, Enum, String, Set)}, for a transition that one state alone allows. */
    public static <S extends Enum<S>> S check(S from, S next, String event, S source) {
        if (from != source) {
            throw new IllegalStateException(
                    "transition: " + event + " from " + from + " (expected: from " + source + ")");
        }
        return next;
    }
}
