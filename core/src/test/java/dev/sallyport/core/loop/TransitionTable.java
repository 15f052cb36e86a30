package dev.sallyport.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** The events of a state machine: the states from which each is allowed, and the states that follow. */
public final class TransitionTable<S extends Enum<S>> {

    private final Class<S> states;
    private final List<DynamicTest> tests = new ArrayList<>();

    private TransitionTable(Class<S> states) {
        this.states = states;
    }

    /** A table without events. */
    public static <S extends Enum<S>> TransitionTable<S> of(Class<S> states) {
        return new TransitionTable<>(states);
    }

    /** Adds an event, which leads from each state of the map to the state beside it, and is a fault in all others. */
    public TransitionTable<S> row(String event, UnaryOperator<S> transition, Map<S, S> expected) {
        tests.add(DynamicTest.dynamicTest(event + " " + expected, () -> verify(event, transition, expected)));
        return this;
    }

    /** A test for each event. */
    public Stream<DynamicTest> tests() {
        return tests.stream();
    }

    private void verify(String event, UnaryOperator<S> transition, Map<S, S> expected) {
        for (S state : states.getEnumConstants()) {
            S next = expected.get(state);
            if (next == null) {
                assertThatIllegalStateException()
                        .as("%s from %s", event, state)
                        .isThrownBy(() -> transition.apply(state))
                        .withMessageStartingWith("transition: " + event + " from " + state + " (expected: ")
                        .satisfies(e -> assertThat(expected.keySet())
                                .allSatisfy(source -> assertThat(e).hasMessageContaining(source.name())));
            } else {
                assertThat(transition.apply(state))
                        .as("%s from %s", event, state)
                        .isEqualTo(next);
            }
        }
    }
}
