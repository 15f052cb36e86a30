package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.VmLimits;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What has to be the same of two machines so that one goes on from the state of the other. */
class ShapeTest {

    private static String of(long memory, int cpuMillis, int processes, String qemu, String kernel) throws Exception {
        return Shape.of(new VmLimits(memory, cpuMillis, processes, 1L << 30), Accelerator.Kind.TCG, qemu, kernel);
    }

    @Test
    void memoryQemuAndKernelAreAPartOfItAndWhatTheMachineLimitsIsNot() throws Exception {
        String one = of(1L << 28, 1000, 100, "7.2.22 Debian", "abc");

        assertThat(of(1L << 28, 500, 200, "7.2.22 Debian", "abc")).isEqualTo(one);
        assertThat(one).doesNotContain("\n");
        assertThat(List.of(
                        one,
                        of(1L << 29, 1000, 100, "7.2.22 Debian", "abc"),
                        of(1L << 28, 1000, 100, "7.2.23 Debian", "abc"),
                        of(1L << 28, 1000, 100, "7.2.22 Debian", "abd")))
                .doesNotHaveDuplicates();
    }

    @Test
    void ofTheProcessorItIsWhatAGuestSees() {
        String told =
                "processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: %d\nflags\t\t: fpu %s\n\nprocessor\t: 1\ncpu MHz\t: %d\n";

        assertThat(Shape.processor(told.formatted(800, "vme", 900)))
                .isEqualTo(Shape.processor(told.formatted(2000, "vme", 1)))
                .isNotEqualTo(Shape.processor(told.formatted(800, "vme avx", 900)));
    }
}
