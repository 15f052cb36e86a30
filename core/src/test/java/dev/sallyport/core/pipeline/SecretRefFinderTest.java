package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SecretRefFinderTest {

    record Source() {}

    record Leaf(String name, List<String> words, SecretRef secret) {}

    record Tree(String name, List<Tree> children, List<Leaf> leaves, Map<String, SecretRef> named) {}

    /** Two records in each other, with the only reference behind both. */
    record Left(List<Right> rights) {}

    record Right(List<Left> lefts, Object anything) {}

    record Plain(List<Rule> rules, int number, boolean flag, Map<String, List<String>> words) {}

    private static SecretRef ref(String name) {
        return new SecretRef("env", new Source(), name, false, "");
    }

    @Test
    void areFoundInOrderHoweverDeep() {
        SecretRef first = ref("first");
        SecretRef second = ref("second");
        SecretRef third = ref("third");
        Tree inner = new Tree("inner", List.of(), List.of(new Leaf("b", List.of(), second)), Map.of());
        Tree outer = new Tree("outer", List.of(inner), List.of(), Map.of("c", third));

        assertThat(SecretRefFinder.in(new Leaf("a", List.of("x"), first))).containsExactly(first);
        assertThat(SecretRefFinder.in(outer)).containsExactly(second, third);
    }

    @Test
    void areFoundBehindRecordsThatHoldEachOther() {
        SecretRef hidden = ref("hidden");

        assertThat(SecretRefFinder.in(new Left(List.of(new Right(List.of(), hidden)))))
                .containsExactly(hidden);
        assertThat(SecretRefFinder.in(new Right(List.of(new Left(List.of(new Right(List.of(), hidden)))), "none")))
                .containsExactly(hidden);
    }

    @Test
    void areNotFoundWhereThereAreNone() {
        assertThat(SecretRefFinder.in(new Plain(List.of(Rule.host("a.test")), 1, true, Map.of("a", List.of("b")))))
                .isEmpty();
    }
}
