package dev.sallyport.core.redact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RedactResponse;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is remembered of values that were sent, and for how long (docs/spec/decisions.md, section 6). */
class SentCredentialsTest {

    private static final long DAY = TimeUnit.DAYS.toNanos(1);
    private static final Destination ORIGIN = Destination.named("api.example.com", 443, true);
    private static final Credential FIRST =
            Credential.of("KEY", "first-value-of-the-key").from("secrets[0]");
    private static final Credential SECOND =
            Credential.of("KEY", "second-value-of-the-key").from("secrets[0]");

    private long now;
    private final Set<String> deleted = new HashSet<>();
    private final SentCredentials values = new SentCredentials(() -> now, deleted::contains);

    private void after(long nanos) {
        now += nanos;
        values.expire(DAY);
    }

    @Test
    void aValueThatIsInUseIsNeverForgotten() {
        values.send(ORIGIN, "secrets", FIRST);
        after(10 * DAY);

        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isTrue();
    }

    @Test
    void aDeletedValueExpiresThoughItWasOnItsWayAndAPolicyNamesIt() {
        values.send(ORIGIN, "secrets", FIRST);
        deleted.add("KEY");
        values.supersede(Set.of("KEY"));
        values.send(ORIGIN, "secrets", FIRST);
        values.retain(Set.of("secrets"), Set.of());
        after(DAY);

        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isFalse();
        assertThat(values.isEmpty()).isTrue();
    }

    @Test
    void aRotatedValueIsKnownForADayMore() {
        values.send(ORIGIN, "secrets", FIRST);
        values.send(ORIGIN, "secrets", SECOND);
        after(DAY - 1);
        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isTrue();

        after(1);
        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isFalse();
        assertThat(values.sentTo(ORIGIN).contains(SECOND)).isTrue();
    }

    @Test
    void aValueThatComesBackIsInUseAgain() {
        values.send(ORIGIN, "secrets", FIRST);
        values.send(ORIGIN, "secrets", SECOND);
        values.send(ORIGIN, "secrets", FIRST);
        after(DAY);

        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isTrue();
        assertThat(values.sentTo(ORIGIN).contains(SECOND)).isFalse();
    }

    @Test
    void valuesOfATransformThatIsGoneAreKnownForADayMore() {
        values.send(ORIGIN, "secrets", FIRST);
        values.retain(Set.of("allowlist"), Set.of());
        after(DAY - 1);
        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isTrue();

        after(1);
        assertThat(values.sentTo(ORIGIN).isEmpty()).isTrue();
    }

    @Test
    void aTransformThatComesBackBringsItsValues() {
        values.send(ORIGIN, "secrets", FIRST);
        values.retain(Set.of("allowlist"), Set.of());
        values.retain(Set.of("allowlist", "secrets"), Set.of());
        after(DAY);

        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isTrue();
    }

    @Test
    void aSecretThatATransformHasLostIsKnownForADayMore() {
        values.send(ORIGIN, "secrets", FIRST);
        values.retain(Set.of("secrets"), Set.of(FIRST.name()));
        after(DAY - 1);
        values.retain(Set.of("secrets"), Set.of(FIRST.name()));
        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isTrue();

        after(1);
        assertThat(values.sentTo(ORIGIN).isEmpty()).isTrue();
    }

    @Test
    void aSecretThatComesBackIsInUseAgain() {
        values.send(ORIGIN, "secrets", FIRST);
        values.retain(Set.of("secrets"), Set.of(FIRST.name()));
        values.retain(Set.of("secrets"), Set.of());
        after(DAY);

        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isTrue();
    }

    @Test
    void whatIsNotWantedIsForgottenAtOnce() {
        values.send(ORIGIN, "secrets", FIRST);
        values.send(ORIGIN, "secrets", SECOND);
        values.send(ORIGIN, "secrets", FIRST.redact(RedactResponse.ALWAYS));
        values.forget((stage, secret) -> secret.when() == null);

        assertThat(values.sentTo(ORIGIN).stages()).containsOnlyKeys(FIRST.redact(RedactResponse.ALWAYS));
    }

    @Test
    void beyondSixtyFourOriginsTheyAreNotToldApart() {
        for (int i = 0; i <= SentCredentials.ORIGINS; i++) {
            values.send(Destination.named("host" + i + ".example.com", 443, true), "secrets", FIRST);
        }

        assertThat(values.sentTo(Destination.named("elsewhere.example.com", 443, true))
                        .contains(FIRST))
                .isTrue();
    }

    /** A workload that asks for each thing twice makes a plug-in that signs write as many values as it likes. */
    @Test
    void valuesThatNobodyDeclaredDoNotGatherWithoutEnd() {
        for (int i = 0; i < 5000; i++) {
            values.send(ORIGIN, "plug-in", derived("signature number " + i));
        }

        assertThat(values.sentTo(ORIGIN).stages()).hasSizeBetween(2, 100);
        assertThat(values.sentTo(ORIGIN).contains(derived("signature number 4999")))
                .isTrue();
        assertThat(values.sentTo(ORIGIN).contains(derived("signature number 4998")))
                .isTrue();
    }

    @Test
    void longValuesThatNobodyDeclaredDoNotEither() {
        for (int i = 0; i < 50; i++) {
            values.send(ORIGIN, "plug-in", derived("x".repeat(30_000) + i));
        }

        assertThat(values.sentTo(ORIGIN).bytes()).isLessThan(100_000);
    }

    @Test
    void declaredValuesAreNotForgottenForThem() {
        values.send(ORIGIN, "secrets", FIRST);
        values.send(ORIGIN, "secrets", SECOND);
        for (int i = 0; i < 5000; i++) {
            values.send(ORIGIN, "plug-in", derived("signature number " + i));
        }

        assertThat(values.sentTo(ORIGIN).contains(FIRST)).isTrue();
        assertThat(values.sentTo(ORIGIN).contains(SECOND)).isTrue();
    }

    private static Credential derived(String value) {
        return Credential.of("plug-in", value).from(CarriedCredentials.DERIVED + 0);
    }
}
