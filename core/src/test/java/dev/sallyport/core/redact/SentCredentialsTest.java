package dev.sallyport.core.redact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RedactResponse;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        values.send(ORIGIN, null, "secrets", FIRST);
        after(10 * DAY);

        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isTrue();
    }

    @Test
    void aDeletedValueExpiresThoughItWasOnItsWayAndAPolicyNamesIt() {
        values.send(ORIGIN, null, "secrets", FIRST);
        deleted.add("KEY");
        values.supersede(Set.of("KEY"));
        values.send(ORIGIN, null, "secrets", FIRST);
        values.retain(Set.of("secrets"), Set.of());
        after(DAY);

        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isFalse();
        assertThat(values.isEmpty()).isTrue();
    }

    @Test
    void aRotatedValueIsKnownForADayMore() {
        values.send(ORIGIN, null, "secrets", FIRST);
        values.send(ORIGIN, null, "secrets", SECOND);
        after(DAY - 1);
        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isTrue();

        after(1);
        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isFalse();
        assertThat(values.wantedFrom(ORIGIN, null).contains(SECOND)).isTrue();
    }

    @Test
    void aValueThatComesBackIsInUseAgain() {
        values.send(ORIGIN, null, "secrets", FIRST);
        values.send(ORIGIN, null, "secrets", SECOND);
        values.send(ORIGIN, null, "secrets", FIRST);
        after(DAY);

        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isTrue();
        assertThat(values.wantedFrom(ORIGIN, null).contains(SECOND)).isFalse();
    }

    @Test
    void valuesOfATransformThatIsGoneAreKnownForADayMore() {
        values.send(ORIGIN, null, "secrets", FIRST);
        values.retain(Set.of("allowlist"), Set.of());
        after(DAY - 1);
        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isTrue();

        after(1);
        assertThat(values.wantedFrom(ORIGIN, null).isEmpty()).isTrue();
    }

    @Test
    void aTransformThatComesBackBringsItsValues() {
        values.send(ORIGIN, null, "secrets", FIRST);
        values.retain(Set.of("allowlist"), Set.of());
        values.retain(Set.of("allowlist", "secrets"), Set.of());
        after(DAY);

        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isTrue();
    }

    @Test
    void aSecretThatATransformHasLostIsKnownForADayMore() {
        values.send(ORIGIN, null, "secrets", FIRST);
        values.retain(Set.of("secrets"), Set.of(FIRST.name()));
        after(DAY - 1);
        values.retain(Set.of("secrets"), Set.of(FIRST.name()));
        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isTrue();

        after(1);
        assertThat(values.wantedFrom(ORIGIN, null).isEmpty()).isTrue();
    }

    @Test
    void aSecretThatComesBackIsInUseAgain() {
        values.send(ORIGIN, null, "secrets", FIRST);
        values.retain(Set.of("secrets"), Set.of(FIRST.name()));
        values.retain(Set.of("secrets"), Set.of());
        after(DAY);

        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isTrue();
    }

    @Test
    void whatIsNotWantedIsForgottenAtOnce() {
        values.send(ORIGIN, null, "secrets", FIRST);
        values.send(ORIGIN, null, "secrets", SECOND);
        values.send(ORIGIN, null, "secrets", FIRST.redact(RedactResponse.ALWAYS));
        values.forget((stage, secret) -> secret.when() == null);

        assertThat(values.wantedFrom(ORIGIN, null).stages()).containsOnlyKeys(FIRST.redact(RedactResponse.ALWAYS));
    }

    @Test
    void beyondManyPlacesTheyAreNotToldApart() {
        Destination elsewhere = Destination.named("elsewhere.example.org", 443, true);
        for (int i = 0; i < SentPlaces.MOST; i++) {
            values.send(Destination.named("host" + i + ".com", 443, true), null, "secrets", FIRST);
        }
        assertThat(values.wantedFrom(elsewhere, null).isEmpty()).isTrue();

        values.send(Destination.named("one-more.com", 443, true), null, "secrets", FIRST);
        values.send(Destination.named("and-one.com", 443, true), null, "secrets", SECOND);

        assertThat(values.wantedFrom(elsewhere, null).stages()).containsOnlyKeys(FIRST);
        assertThat(values.knows(elsewhere, null, SECOND)).isFalse();
    }

    /** A workload may ask for as many hosts at as many addresses as it likes. */
    @Test
    void placesShareTheirSets() throws Exception {
        values.send(ORIGIN, null, "secrets", FIRST.within(every -> true));
        values.send(ORIGIN, null, "secrets", SECOND);

        Destination one = Destination.named("one.test", 443, true);
        CredentialSet wanted = values.wantedFrom(one, null);
        assertThat(wanted.stages()).containsOnlyKeys(FIRST);
        assertThat(values.wantedFrom(one, InetAddress.getByName("192.0.2.1"))).isSameAs(wanted);
        assertThat(values.wantedFrom(Destination.named("two.test", 443, true), null))
                .isSameAs(wanted);
        assertThat(values.wantedFrom(ORIGIN, null).stages()).containsOnlyKeys(FIRST, SECOND);
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.com, api.example.com, true",
        "api.example.com, example.com, true",
        "api.example.com, cdn.images.example.com, true",
        "api.example.com, example.org, false",
        "api.example.com, badexample.com, false",
        "a.example.co.uk, b.example.co.uk, true",
        "a.example.co.uk, b.other.co.uk, false",
        "me.github.io, you.github.io, false",
        "me.github.io, x.me.github.io, true",
        "api.localhost, www.api.localhost, true",
        "api.localhost, www.localhost, false",
        "localhost, localhost, true",
        "db.team.svc.cluster.local, web.cluster.local, true",
        "_dmarc.example.com, example.com, true",
        "-a-.b_c.example.com, example.com, true",
        "_x.co.uk, _y.co.uk, false",
        "192.0.2.1, 192.0.2.2, false",
        "co.uk, example.co.uk, false",
        "xn--bcher-kva.example.com, example.com, true",
    })
    void theSitesOfHosts(String sent, String asked, boolean wanted) {
        values.send(Destination.named(sent, 443, true), null, "secrets", FIRST);

        for (boolean secure : new boolean[] {false, true}) {
            assertThat(values.wantedFrom(Destination.named(asked, 8080, secure), null)
                            .contains(FIRST))
                    .isEqualTo(wanted);
        }
    }

    @Test
    void anAddressItWasSentToIsKnownUnderEveryName() throws Exception {
        InetAddress address = InetAddress.getByName("192.0.2.1");
        values.send(ORIGIN, address, "secrets", FIRST);

        Destination literal = Destination.literal("192.0.2.1", address, 80, false);
        Destination other = Destination.named("alias.test", 80, false);
        assertThat(values.wantedFrom(literal, address).contains(FIRST)).isTrue();
        assertThat(values.wantedFrom(other, address).contains(FIRST)).isTrue();
        assertThat(values.wantedFrom(other, null).isEmpty()).isTrue();
        assertThat(values.wantedFrom(other, InetAddress.getByName("192.0.2.2")).isEmpty())
                .isTrue();
        assertThat(values.knows(other, address, FIRST)).isFalse();
    }

    @Test
    void allDestinationsInsideTheRulesAreIncluded() {
        Destination inside = Destination.named("inside.test", 80, false);
        values.send(ORIGIN, null, "secrets", FIRST.within(inside::equals));
        assertThat(values.wantedFrom(inside, null).contains(FIRST)).isTrue();

        // Rules that come later count beside those before.
        Destination later = Destination.named("later.test", 80, false);
        assertThat(values.wantedFrom(later, null).isEmpty()).isTrue();
        Credential again = FIRST.within(later::equals);
        assertThat(values.knows(ORIGIN, null, again)).isFalse();
        values.send(ORIGIN, null, "secrets", again);
        assertThat(values.knows(ORIGIN, null, again)).isTrue();
        assertThat(values.wantedFrom(later, null).contains(FIRST)).isTrue();
        assertThat(values.wantedFrom(inside, null).contains(FIRST)).isTrue();
    }

    /** A workload that asks for each thing twice makes a plug-in that signs write as many values as it likes. */
    @Test
    void valuesThatNobodyDeclaredDoNotGatherWithoutEnd() {
        for (int i = 0; i < 5000; i++) {
            values.send(ORIGIN, null, "plug-in", derived("signature number " + i));
        }

        assertThat(values.wantedFrom(ORIGIN, null).stages()).hasSizeBetween(2, 100);
        assertThat(values.wantedFrom(ORIGIN, null).contains(derived("signature number 4999")))
                .isTrue();
        assertThat(values.wantedFrom(ORIGIN, null).contains(derived("signature number 4998")))
                .isTrue();
    }

    @Test
    void longValuesThatNobodyDeclaredDoNotEither() {
        for (int i = 0; i < 50; i++) {
            values.send(ORIGIN, null, "plug-in", derived("x".repeat(30_000) + i));
        }

        assertThat(values.wantedFrom(ORIGIN, null).bytes()).isLessThan(100_000);
    }

    @Test
    void declaredValuesAreNotForgottenForThem() {
        values.send(ORIGIN, null, "secrets", FIRST);
        values.send(ORIGIN, null, "secrets", SECOND);
        for (int i = 0; i < 5000; i++) {
            values.send(ORIGIN, null, "plug-in", derived("signature number " + i));
        }

        assertThat(values.wantedFrom(ORIGIN, null).contains(FIRST)).isTrue();
        assertThat(values.wantedFrom(ORIGIN, null).contains(SECOND)).isTrue();
    }

    private static Credential derived(String value) {
        return Credential.of("plug-in", value).from(CarriedCredentials.DERIVED + 0);
    }
}
