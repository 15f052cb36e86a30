package dev.sallyport.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;

class PatienceTest {

    @Test
    void everythingIsScaledByOneFactor() {
        assertThat(Patience.usual())
                .isEqualTo(Duration.ofSeconds(Patience.SECONDS))
                .isEqualTo(Patience.seconds(20));
        assertThat(Patience.MILLIS).isEqualTo((int) TimeUnit.SECONDS.toMillis(Patience.SECONDS));
        assertThat(Patience.seconds(1)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(6));
    }

    @Test
    void awaitilityGetsItWithoutBeingAsked() {
        assertThat(ServiceLoader.load(Extension.class)).hasAtLeastOneElementOfType(PatientAwaitility.class);
    }
}
