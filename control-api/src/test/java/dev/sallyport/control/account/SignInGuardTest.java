package dev.sallyport.control.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.model.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Guessing of passwords. */
class SignInGuardTest {

    private final AtomicLong time = new AtomicLong();
    private final SignInGuard guard = new SignInGuard(time::get);

    private boolean begins(String account, String address) {
        return begins(new SignInGuard.Attempt(account, address, ""));
    }

    private boolean begins(SignInGuard.Attempt attempt) {
        try {
            guard.begin(attempt);
            return true;
        } catch (Refusal refusal) {
            assertThat(refusal.status()).isEqualTo(429);
            return false;
        }
    }

    @Test
    void attemptsAtOnceAreNoMoreThanOneAfterTheOther() throws Exception {
        List<Future<Boolean>> attempts = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            for (int i = 0; i < 200; i++) {
                String address = "192.0.2." + i;
                attempts.add(threads.submit(() -> begins("a", address)));
            }
        }

        int begun = 0;
        for (Future<Boolean> attempt : attempts) {
            begun += attempt.get() ? 1 : 0;
        }
        assertThat(begun)
                .as("from all networks together, and one of the site that is slowed")
                .isEqualTo(31);
    }

    @Test
    void successForgetsTheFailuresFromItsNetworkAndItsOwnAttempt() {
        for (int i = 0; i < 10; i++) {
            assertThat(begins("a", "192.0.2.1")).isTrue();
        }
        guard.succeeded(new SignInGuard.Attempt("a", "192.0.2.1", ""));

        for (int i = 0; i < 10; i++) {
            assertThat(begins("a", "192.0.2.1")).isTrue();
        }
        assertThat(begins("a", "192.0.2.1")).isFalse();
    }

    @Test
    void successDoesNotForgetTheFailuresOfStrangers() {
        for (int i = 0; i < 29; i++) {
            assertThat(begins("a", "192.0.2." + i)).isTrue();
        }
        assertThat(begins("a", "198.51.100.1")).isTrue();
        guard.succeeded(new SignInGuard.Attempt("a", "198.51.100.1", ""));

        assertThat(begins("a", "192.0.2.100")).isTrue();
        assertThat(begins("a", "192.0.2.101")).as("one more of this site").isTrue();
        assertThat(begins("a", "192.0.2.102")).isFalse();
    }

    @Test
    void strangersSlowAnAccountAndDoNotKeepItsOwnerOut() {
        for (int i = 0; i < 100; i++) {
            begins("a", "2001:db8:1:" + i + ":0:0:0:1");
            begins("a", "192.0.2." + i);
        }

        assertThat(begins("a", "198.51.100.1")).as("the owner, from anywhere").isTrue();
        assertThat(begins("a", "198.51.100.2")).as("the same site, at once").isFalse();
        assertThat(begins("a", "192.0.2.200"))
                .as("a network of a site that guesses")
                .isFalse();
        assertThat(begins("a", "2001:db8:1:ffff:0:0:0:1")).as("the same").isFalse();
        assertThat(begins("a", "2001:db8:2:1:0:0:0:1")).as("another site").isTrue();
        time.addAndGet(Duration.ofSeconds(61).toNanos());
        assertThat(begins("a", "198.51.100.2")).as("after a minute").isTrue();
        assertThat(begins("a", "198.51.100.2")).isFalse();
        assertThat(begins("b", "198.51.100.2")).as("another account").isTrue();
    }

    @Test
    void attemptsThatAreRefusedDoNotProlongThePause() {
        for (int i = 0; i < 40; i++) {
            begins("a", "192.0.2." + i);
        }
        time.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(begins("a", "192.0.2.100")).isFalse();

        time.addAndGet(Duration.ofMinutes(14).plusSeconds(5).toNanos());
        for (int i = 0; i < 30; i++) {
            assertThat(begins("a", "192.0.2." + i)).isTrue();
        }
    }

    @Test
    void aNetworkThatGuessesStopsItselfAndNobodyElse() {
        for (int i = 0; i < 10; i++) {
            assertThat(begins("a", "192.0.2.1")).isTrue();
        }

        assertThat(begins("a", "192.0.2.1")).isFalse();
        assertThat(begins("a", "192.0.2.2")).isTrue();
    }

    @Test
    void aKnownBrowserIsStoppedByItsOwnFailuresAlone() {
        for (int i = 0; i < 200; i++) {
            begins("a", "192.0.2.1");
            begins("b" + i, "192.0.2.1");
            begins("a", "198.51.100." + i);
        }
        SignInGuard.Attempt known = new SignInGuard.Attempt("a", "192.0.2.1", "0123");

        for (int i = 0; i < 10; i++) {
            assertThat(begins(known)).isTrue();
        }
        assertThat(begins(known)).isFalse();
        assertThat(begins(new SignInGuard.Attempt("a", "192.0.2.1", "4567"))).isTrue();
    }

    @Test
    void aNewPasswordForgetsTheFailuresOfItsAccountAlone() {
        for (int i = 0; i < 40; i++) {
            begins("a", "192.0.2." + i);
            begins("ab", "192.0.2." + i);
        }
        guard.forget("a");

        assertThat(begins("a", "192.0.2.1")).isTrue();
        assertThat(begins("a", "192.0.2.2")).isTrue();
        assertThat(begins("ab", "192.0.2.2")).isFalse();
    }

    @Test
    void anAttemptThatIsTakenBackDoesNotCount() {
        for (int i = 0; i < 100; i++) {
            assertThat(begins("a", "192.0.2.1")).isTrue();
            guard.takeBack(new SignInGuard.Attempt("a", "192.0.2.1", ""));
        }
    }

    @Test
    void anAddressIsCountedOverAccountsAndIpv6ByItsNetwork() {
        for (int i = 0; i < 50; i++) {
            assertThat(begins("a" + i, "2001:db8:1:2:0:0:0:" + i)).isTrue();
        }

        assertThat(begins("b", "2001:db8:1:2:ffff:0:0:1")).isFalse();
        assertThatThrownBy(() -> guard.begin("2001:db8:1:2:0:0:0:1")).isInstanceOf(Refusal.class);
        assertThat(begins("b", "2001:db8:1:3:0:0:0:1")).isTrue();
    }

    @Test
    void refusedAttemptsOfALockedAccountDoNotLockTheirAddress() {
        for (int i = 0; i < 200; i++) {
            begins("a", "192.0.2.1");
        }

        assertThat(begins("b", "192.0.2.1")).isTrue();
    }
}
