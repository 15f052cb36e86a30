package dev.sallyport.core.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.SourceContext;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What secret sources are lent: variables, and state that they share. */
class EngineSourceContextTest {

    private record Key(String name) {}

    private final List<String> closed = new ArrayList<>();
    private final EngineSourceContext context =
            new EngineSourceContext(Map.of("TOKEN", "s3cr3t"), Clock.systemUTC(), call -> {
                throw new AssertionError("no calls expected");
            });

    private final SourceContext lent = context.lentTo("scripted");

    private AutoCloseable keep(String name, AutoCloseable value) {
        return lent.keep(new Key(name), () -> value);
    }

    @Test
    void equalKeysShareWhatWasMadeFirst() {
        AutoCloseable first = () -> {};
        AutoCloseable other = () -> {};

        assertThat(keep("a", first)).isSameAs(first);
        assertThat(keep("a", other)).isSameAs(first);
        assertThat(keep("b", other)).isSameAs(other);
    }

    @Test
    void whatIsKeptIsClosedOnceLastFirstWhateverFails() {
        keep("a", () -> closed.add("a"));
        keep("b", () -> {
            closed.add("b");
            throw new IllegalStateException("fails");
        });
        lent.keep(new Key("c"), () -> "nothing to close");

        context.close();
        context.close();

        assertThat(closed).containsExactly("b", "a");
    }

    @Test
    void nothingIsKeptOnceItIsClosed() {
        context.close();

        assertThatThrownBy(() -> keep("a", () -> closed.add("a"))).isInstanceOf(IllegalStateException.class);
        assertThat(closed).isEmpty();
    }

    @Test
    void lendsTheVariables() {
        assertThat(lent.environment("TOKEN")).isEqualTo("s3cr3t");
        assertThat(lent.environment("OTHER")).isNull();
    }
}
