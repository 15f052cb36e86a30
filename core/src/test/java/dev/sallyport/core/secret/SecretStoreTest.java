package dev.sallyport.core.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.testsupport.Patience;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Secret resolution: docs/spec/decisions.md, section 6, first paragraph; docs/design.md, section 3; docs/design.md,
 * section 1, law 6.
 */
class SecretStoreTest {

    private long now = 7;
    private final ManualTimers timers = new ManualTimers();
    private final ScriptedSources sources = new ScriptedSources();
    private final SecretStore store =
            new SecretStore(Map.of("scripted", sources), context(), timers, Runnable::run, () -> 0.0, () -> now);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.sallyport.core.secret");

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(logged);
    }

    private static EngineSourceContext context() {
        return new EngineSourceContext(Map.of(), Clock.systemUTC(), call -> {
            throw new AssertionError("no calls expected");
        });
    }

    private static SecretRef ref(Duration ttl, boolean optional) {
        return new SecretRef(
                "scripted", new ScriptedSources.Config("THE_NAME", ttl), "", optional, "/transforms/0/config/source");
    }

    private static SecretRef once() {
        return ref(Duration.ZERO, false);
    }

    @Test
    void readsWhenTheConfigurationIsBuiltAndNeverAgainWithoutTtl() throws Exception {
        // given
        sources.answer("s3cr3t");
        // when
        Secret secret = store.open().resolve(once());
        // then
        assertThat(secret.name()).isEqualTo("THE_NAME");
        assertThat(secret.available()).isTrue();
        assertThat(secret.value().text()).isEqualTo("s3cr3t");
        assertThat(secret.version()).isOne();
        assertThat(timers.next()).as("no timer is left").isEqualTo(-1);
    }

    @Test
    void aReloadReadsAnewWhateverTheTtl() throws Exception {
        // given
        sources.answer("first").answer("second");
        SecretScope generation = store.open();
        Secret secret = generation.resolve(once());
        List<String> changed = new ArrayList<>();
        generation.onChange(of -> changed.add(of.name()));
        now += Duration.ofSeconds(1).toNanos();
        List<String> stale = new ArrayList<>();

        // when
        try (SecretScope reload = store.renew(stale::add)) {
            assertThat(reload.resolve(once())).isSameAs(secret);
        }

        // then
        assertThat(secret.value().text()).isEqualTo("second");
        assertThat(secret.version()).isEqualTo(2);
        assertThat(changed).containsExactly("THE_NAME");
        assertThat(stale).isEmpty();
        assertThat(timers.next()).as("no timer is left").isEqualTo(-1);
    }

    @Test
    void aReloadUsesWhatWasReadWithinTheLastSecond() throws Exception {
        sources.answer("first").answer("second");
        Secret secret = store.open().resolve(once());
        now += Duration.ofSeconds(1).toNanos() - 1;

        try (SecretScope reload = store.renew(name -> {})) {
            reload.resolve(once());
            assertThat(sources.reads).isEqualTo(1);
            now++;
            reload.resolve(once());
            reload.resolve(once());
        }

        assertThat(sources.reads).isEqualTo(2);
        assertThat(secret.value().text()).isEqualTo("second");
    }

    @Test
    void whiteSpaceAtTheEndOfAValueIsTold() throws Exception {
        sources.answer("first").answer("second\n");
        store.open().resolve(once());
        assertThat(logged.list).isEmpty();
        now += Duration.ofSeconds(2).toNanos();

        try (SecretScope reload = store.renew(name -> {})) {
            reload.resolve(once());
        }

        assertThat(logged.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage())
                        .contains("THE_NAME: its value begins or ends with white space")
                        .doesNotContain("second"));
    }

    @Test
    void whatFailsInAReloadKeepsItsValueAndIsNamed() throws Exception {
        sources.answer("first").fail("THE_NAME: gone").answer("third");
        Secret secret = store.open().resolve(once());
        now += Duration.ofSeconds(2).toNanos();
        List<String> stale = new ArrayList<>();

        // when: two entries refer to it
        try (SecretScope reload = store.renew(stale::add)) {
            reload.resolve(once());
            reload.resolve(once());
        }

        // then
        assertThat(stale).containsExactly("THE_NAME", "THE_NAME");
        assertThat(sources.reads).isEqualTo(2);
        assertThat(secret.value().text()).isEqualTo("first");
        assertThat(logged.list)
                .anyMatch(event -> event.getLevel() == Level.WARN
                        && event.getFormattedMessage().contains("THE_NAME: refresh failed, the last value stays"));

        // and: it is tried again as any other that failed
        timers.advance(1000);
        assertThat(secret.value().text()).isEqualTo("third");
    }

    @Test
    void aReloadFailsForWhatIsNewAndCannotBeRead() {
        sources.fail("THE_NAME: gone");
        List<String> stale = new ArrayList<>();
        try (SecretScope reload = store.renew(stale::add)) {
            assertThatThrownBy(() -> reload.resolve(once())).isInstanceOf(ConfigException.class);
        }
        assertThat(stale).isEmpty();
    }

    @Test
    void aReloadPlansTheNextReadAnew() throws Exception {
        sources.answer("first").answer("second").answer("third");
        store.open().resolve(ref(Duration.ofMinutes(5), false));
        now += Duration.ofSeconds(2).toNanos();
        try (SecretScope reload = store.renew(name -> {})) {
            reload.resolve(ref(Duration.ofMinutes(5), false));
        }
        timers.advance(Duration.ofMinutes(5).toMillis());
        assertThat(sources.reads).as("one more was planned, not two").isEqualTo(3);
    }

    @Test
    void equalReferencesShareOneResolution() throws Exception {
        sources.answer("s3cr3t");
        SecretScope scope = store.open();
        Secret first = scope.resolve(once());
        Secret second = scope.resolve(once());
        assertThat(second).isSameAs(first);
        assertThat(sources.reads).isOne();
    }

    @Test
    void aReloadKeepsValuesWhoseReferenceIsUnchangedAndTheLastUserClosesThem() throws Exception {
        // given
        sources.answer("one").answer("two");
        SecretScope running = store.open();
        Secret before = running.resolve(once());
        // when
        SecretScope next = store.open();
        Secret after = next.resolve(once());
        running.close();
        // then
        assertThat(after).isSameAs(before);
        assertThat(sources.closed).isZero();
        next.close();
        next.close();
        assertThat(sources.closed).isOne();
        assertThat(store.open().resolve(once()).value().text()).isEqualTo("two");
    }

    @Test
    void anUnresolvedSecretIsAConfigurationErrorAtItsPlaceThatNamesTheSource() {
        // given
        sources.fail("environment variable THE_NAME is not set");
        // when
        ConfigException problem =
                catchThrowableOfType(ConfigException.class, () -> store.open().resolve(once()));
        // then
        assertThat(problem).hasMessage("environment variable THE_NAME is not set");
        assertThat(problem.pointer()).isEqualTo("/transforms/0/config/source");
        assertThat(sources.closed).isEqualTo(sources.created);
        assertThat(timers.next()).isEqualTo(-1);
    }

    @Test
    void aFailureIsNotRemembered() throws Exception {
        sources.fail("gone").answer("back");
        SecretScope scope = store.open();
        assertThatThrownBy(() -> scope.resolve(once())).hasMessage("secret THE_NAME: gone");
        assertThat(scope.resolve(once()).value().text()).isEqualTo("back");
    }

    @Test
    void aProblemOfTheSourcesOwnConfigurationPointsIntoIt() {
        sources.refuseToCreate = true;
        ConfigException problem =
                catchThrowableOfType(ConfigException.class, () -> store.open().resolve(once()));
        assertThat(problem.pointer()).isEqualTo("/transforms/0/config/source/name");
        assertThat(problem.expected()).isEqualTo("a vault");
    }

    @Test
    void anUnknownTypeSaysWhichThereAre() {
        SecretRef unknown = new SecretRef("nothing", new ScriptedSources.Config("n", Duration.ZERO), "", false, "/s");
        ConfigException problem =
                catchThrowableOfType(ConfigException.class, () -> store.open().resolve(unknown));
        assertThat(problem.pointer()).isEqualTo("/s/type");
        assertThat(problem.expected()).isEqualTo("one of scripted");
    }

    @Test
    void anOptionalSecretIsUnavailableAndTriedAgainWithBackOffFromOneToSixtySeconds() throws Exception {
        // given
        for (int i = 0; i < 9; i++) {
            sources.fail("not there");
        }
        sources.answer("late");
        // when
        Secret secret = store.open().resolve(ref(Duration.ZERO, true));
        // then
        assertThat(secret.available()).isFalse();
        assertThat(secret.version()).isZero();
        assertThatThrownBy(secret::value).isInstanceOf(IllegalStateException.class);
        List<Long> waits = new ArrayList<>();
        while (!secret.available()) {
            waits.add(timers.next());
            timers.advance(timers.next());
        }
        assertThat(waits).containsExactly(1000L, 2000L, 4000L, 8000L, 16000L, 32000L, 60000L, 60000L, 60000L);
        assertThat(secret.value().text()).isEqualTo("late");
        assertThat(timers.next()).isEqualTo(-1);
    }

    @Test
    void anOptionalSecretWhoseSourceCannotEvenBeMadeIsTriedAgain() throws Exception {
        sources.refuseToCreate = true;
        sources.answer("late");
        Secret secret = store.open().resolve(ref(Duration.ZERO, true));
        assertThat(secret.available()).isFalse();
        sources.refuseToCreate = false;
        timers.advance(1000);
        assertThat(secret.available()).isTrue();
        assertThat(secret.name()).isEqualTo("THE_NAME");
    }

    @Test
    void aTtlRefreshesAndTheVersionGrowsWithChangesOnly() throws Exception {
        // given
        sources.answer("one").answer("one").answer("two");
        SecretScope scope = store.open();
        Secret secret = scope.resolve(ref(Duration.ofMinutes(5), false));
        List<Long> told = new ArrayList<>();
        scope.onChange(changed -> told.add(changed.version()));
        // when
        timers.advance(Duration.ofMinutes(5).toMillis());
        // then
        assertThat(sources.reads).isEqualTo(2);
        assertThat(secret.version()).isOne();
        timers.advance(Duration.ofMinutes(5).toMillis());
        assertThat(secret.value().text()).isEqualTo("two");
        assertThat(secret.version()).isEqualTo(2);
        assertThat(told).containsExactly(2L);
        scope.close();
        assertThat(timers.next()).as("refresh ends with the last user").isEqualTo(-1);
        assertThat(sources.closed).isOne();
    }

    @Test
    void theAgeOfASecretIsThatOfItsLastGoodReadAndAFailureMakesItStale() throws Exception {
        sources.answer("good").fail("the vault is sealed").answer("better");
        store.open().resolve(ref(Duration.ofMinutes(5), false));
        now += Duration.ofSeconds(90).toNanos();
        assertThat(store.states())
                .extracting(SecretStatus::name, SecretStatus::ageSeconds, SecretStatus::failing)
                .containsExactly(tuple("THE_NAME", 90.0, false));

        timers.advance(Duration.ofMinutes(5).toMillis());
        assertThat(store.states())
                .extracting(SecretStatus::name, SecretStatus::ageSeconds, SecretStatus::failing)
                .containsExactly(tuple("THE_NAME", 90.0, true));

        timers.advance(Duration.ofSeconds(1).toMillis());
        assertThat(store.states())
                .extracting(SecretStatus::name, SecretStatus::ageSeconds, SecretStatus::failing)
                .containsExactly(tuple("THE_NAME", 0.0, false));
    }

    @Test
    void anOptionalSecretThatWasNeverReadHasNoAgeAndIsStale() throws Exception {
        sources.fail("not there yet");

        store.open().resolve(ref(Duration.ZERO, true));

        assertThat(store.states())
                .extracting(SecretStatus::name, SecretStatus::ageSeconds, SecretStatus::failing)
                .containsExactly(tuple("THE_NAME", -1.0, true));
    }

    @Test
    void aFailedRefreshKeepsTheLastGoodValueAndAMetricAndAWarningTell() throws Exception {
        // given
        sources.answer("good-value").fail("the vault is sealed").answer("new-value");
        Secret secret = store.open().resolve(ref(Duration.ofMinutes(5), false));
        // when
        timers.advance(Duration.ofMinutes(5).toMillis());
        // then
        assertThat(secret.value().text()).isEqualTo("good-value");
        assertThat(store.refreshFailures()).isOne();
        assertThat(logged.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.WARN);
            assertThat(event.getFormattedMessage()).contains("THE_NAME", "the vault is sealed");
        });
        timers.advance(1000);
        assertThat(secret.value().text()).isEqualTo("new-value");
    }

    @Test
    void refreshesComeUpToATenthEarlierSoThatNotAllComeAtOnce() throws Exception {
        sources.answer("v");
        SecretStore jittery =
                new SecretStore(Map.of("scripted", sources), context(), timers, Runnable::run, () -> 0.5, () -> now);
        jittery.open().resolve(ref(Duration.ofSeconds(100), false));
        assertThat(timers.next()).isEqualTo(95_000);
    }

    @Test
    void aReadThatTakesLongerThanThirtySecondsIsInterrupted() {
        // given
        sources.answers.add(() -> {
            timers.advance(29_999);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            timers.advance(1);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return "too late";
        });
        // when
        assertThatThrownBy(() -> store.open().resolve(once()))
                // then
                .isInstanceOf(ConfigException.class)
                .hasMessage("secret THE_NAME: no answer within 30 s");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aSourceThatThrowsIsAFailureThatShowsNothingOfItsMessage() {
        sources.answers.add(() -> {
            throw new IllegalStateException("token ghp_123 is bad");
        });
        assertThatThrownBy(() -> store.open().resolve(once()))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("secret THE_NAME: the source failed: IllegalStateException (at ")
                .hasMessageNotContaining("ghp_123")
                .hasNoCause();
    }

    @Test
    void jsonKeyExtractsBeforeTheValueIsKept() throws Exception {
        sources.answer("{\"user\":\"u\",\"password\":\"p\\\"w\"}");
        SecretRef ref = new SecretRef(
                "scripted", new ScriptedSources.Config("THE_NAME", Duration.ZERO), "password", false, "/s");
        assertThat(store.open().resolve(ref).value().text()).isEqualTo("p\"w");
    }

    @Test
    void nothingThatCanBePrintedHoldsAValue() throws Exception {
        sources.answer("s3cr3t");
        SecretScope scope = store.open();
        Secret secret = scope.resolve(once());
        assertThat(secret + " " + secret.value() + " " + once()).doesNotContain("s3cr3t");
    }

    @Test
    void closingTheStoreClosesEverySource() throws Exception {
        sources.answer("v");
        SecretScope scope = store.open();
        scope.resolve(ref(Duration.ofMinutes(1), false));
        store.close();
        assertThat(sources.closed).isOne();
        assertThat(timers.next()).isEqualTo(-1);
        assertThatThrownBy(() -> scope.resolve(once())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingTheLastUserInterruptsARefreshThatIsUnderWay() throws Exception {
        // given
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        sources.answer("v");
        sources.answers.add(() -> {
            reading.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
            return "never";
        });
        SecretStore real = new SecretStore(Map.of("scripted", sources), context(), timers);
        SecretScope scope = real.open();
        Secret secret = scope.resolve(ref(Duration.ofMinutes(1), false));
        timers.advance(Duration.ofMinutes(1).toMillis());
        assertThat(reading.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        // when
        scope.close();
        // then
        assertThat(interrupted.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(secret.value().text()).isEqualTo("v");
        assertThat(real.refreshFailures()).isZero();
    }

    @Test
    void aSourceThatFailsWhenItIsMadeIsNamedWithItsMessageAndItsPlace() {
        sources.whenCreated = () -> {
            throw new IllegalStateException("no vault\nof that name");
        };

        assertThatThrownBy(() -> store.open().resolve(once()))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        problem -> assertThat(problem.pointer()).isEqualTo("/transforms/0/config/source"))
                .hasMessageContaining(ScriptedSources.class.getName()
                        + " failed in create: java.lang.IllegalStateException: no vault (at ")
                .hasMessageContaining(", SecretStoreTest.java:")
                .message()
                .doesNotContain("of that name", "\n");
    }

    @Test
    void aSourceThatLacksAClassNamesIt() {
        sources.whenCreated = () -> {
            throw new NoClassDefFoundError("com/example/Client");
        };

        assertThatThrownBy(() -> store.open().resolve(once()))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        problem -> assertThat(problem.expected()).isEqualTo("its jar next to this one"))
                .hasMessageContaining(
                        ScriptedSources.class.getName() + " needs the class com.example.Client, which is missing");
    }
}
