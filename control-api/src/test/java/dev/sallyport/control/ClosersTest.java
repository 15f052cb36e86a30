package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of a control plane. */
class ClosersTest {

    @Test
    void oneThatFailsKeepsNoneFromBeingClosedAndTheLastIsTheFirst() {
        List<String> closed = new ArrayList<>();
        Closers closers = new Closers();
        closers.add(() -> closed.add("first"));
        closers.add(() -> {
            throw new IllegalStateException("does not close");
        });
        closers.add(() -> closed.add("last"));

        closers.close();
        closers.close();

        assertThat(closed).containsExactly("last", "first");
    }
}
