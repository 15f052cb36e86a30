package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.egress.AllowedRule;
import dev.sallyport.control.egress.EgressPolicy;
import dev.sallyport.control.egress.EgressRule;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.policy.PolicySet;
import dev.sallyport.control.secret.SecretSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many requests are explained at once. This program has no transforms, so that each answer is an error. */
@Timeout(60)
class ExplanationsTest {

    private static final ExplainDraft QUESTION = new ExplainDraft("https://a.test/", "GET", null, null);

    private final Map<String, CountDownLatch> reading = new ConcurrentHashMap<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Explanations explanations = new Explanations(this::account, List::of, 300);

    @AfterEach
    void end() {
        release.countDown();
        threads.shutdown();
        explanations.close();
    }

    /** Of those that are waited for, the account is read until they are released. */
    private Account account(String organization) {
        CountDownLatch begun = reading.get(organization);
        if (begun != null) {
            begun.countDown();
            await(release);
        }
        return new Account(
                new PolicySet(List.of(), List.of(), List.of(), List.of()),
                new EgressPolicy(EgressMode.ENFORCE),
                rules(organization.startsWith("large") ? 1000 : 1),
                new SecretSet(List.of(), List.of()));
    }

    private static List<AllowedRule> rules(int count) {
        List<AllowedRule> rules = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rules.add(AllowedRule.of(new EgressRule("r" + i, null, "h" + i + ".test", null, null, Instant.EPOCH)));
        }
        return rules;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Explained ask(String organization) {
        return explanations.explain(new Caller(organization, "u", null, ""), List.of(), QUESTION);
    }

    /** Asks, and returns when the account is being read. */
    private Future<Explained> asking(String organization) {
        CountDownLatch begun = new CountDownLatch(1);
        reading.put(organization, begun);
        Future<Explained> answer = threads.submit(() -> ask(organization));
        await(begun);
        return answer;
    }

    private void refused(String organization) {
        assertThatThrownBy(() -> ask(organization))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("overloaded"));
    }

    @Test
    void aSecondQuestionOfAnAccountIsToldToComeAgainAndOthersAreAnswered() throws Exception {
        Future<Explained> first = asking("a");

        refused("a");
        assertThat(ask("b").verdict()).isEqualTo(Explained.Verdict.ERROR);

        release.countDown();
        assertThat(first.get().verdict()).isEqualTo(Explained.Verdict.ERROR);
        assertThat(ask("a").verdict()).isEqualTo(Explained.Verdict.ERROR);
    }

    @Test
    void aNinthQuestionIsToldToComeAgain() throws Exception {
        List<Future<Explained>> eight = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            eight.add(asking("org" + i));
        }

        refused("ninth");

        release.countDown();
        for (Future<Explained> one : eight) {
            assertThat(one.get().verdict()).isEqualTo(Explained.Verdict.ERROR);
        }
        assertThat(ask("ninth").verdict()).isEqualTo(Explained.Verdict.ERROR);
    }

    @Test
    void aTurnThatTakesLongIsWaitedForForAMomentOnly() throws Exception {
        ExplainLane lane = new ExplainLane(300, 1);
        CountDownLatch begun = new CountDownLatch(1);
        Future<String> slow = threads.submit(() -> lane.inTurn(() -> {
            begun.countDown();
            release.await();
            return "slow";
        }));
        begun.await();

        long asked = System.nanoTime();
        assertThatThrownBy(() -> lane.inTurn(() -> "never"))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo("overloaded"));
        assertThat((System.nanoTime() - asked) / 1_000_000).isBetween(250L, 10_000L);

        release.countDown();
        assertThat(slow.get()).isEqualTo("slow");
        assertThat(lane.inTurn(() -> "next")).isEqualTo("next");
    }

    @Test
    void largeAccountsHaveATurnOfTheirOwn() throws Exception {
        assertThat(Explanations.isSmall(account("small"))).isTrue();
        assertThat(Explanations.isSmall(account("large"))).isFalse();
        assertThat(ask("large").verdict()).isEqualTo(Explained.Verdict.ERROR);
    }
}
