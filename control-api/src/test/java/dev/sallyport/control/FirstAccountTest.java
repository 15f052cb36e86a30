package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.account.AccountSettings;
import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.account.LogMail;
import dev.sallyport.control.account.SignInGuard;
import dev.sallyport.control.account.SignUpDraft;
import dev.sallyport.control.account.Users;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.crypto.Passwords;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.policy.PolicySets;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which account signed up first: the operator's, as docs/spec/decisions.md, section 16, has it. */
@Timeout(120)
class FirstAccountTest {

    @TempDir
    Path folder;

    private final TestClock clock = new TestClock();
    private final Passwords passwords = new Passwords(TestControl.PASSWORDS);
    private Store store;
    private Users users;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), clock);
        Ids ids = new Ids();
        AdminAudit audit = new AdminAudit(store, ids);
        users = new Users(
                new Users.Parts(store, ids, audit),
                passwords,
                new ApiKeys(store, ids, audit, clock),
                new Users.Outside(new LogMail(), new AccountSettings(true, () -> "http://localhost")),
                new SignInGuard());
    }

    @AfterEach
    void close() {
        store.close();
        passwords.close();
    }

    private void signUp(String email) {
        users.add(new SignUpDraft("Ada", "L", email, "correct horse"), "");
    }

    private Optional<String> first() {
        return new PolicySets(store).firstOrganization();
    }

    @Test
    void beforeThereIsAnAccountNoneIsTheFirst() {
        assertThat(first()).isEmpty();
    }

    /** Another replica may have another clock, and that of one may be set. */
    @Test
    void theFirstStaysTheFirstWhateverClocksSay() {
        signUp("a@example.com");
        Optional<String> before = first();
        clock.advance(Duration.ofDays(-1));

        signUp("b@example.com");

        assertThat(before).isPresent();
        assertThat(first()).isEqualTo(before);
    }

    @Test
    void ofManyAtOnceOneIsTheFirst() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<Optional<String>>> signedUp = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String email = "u" + i + "@example.com";
                signedUp.add(threads.submit(() -> {
                    signUp(email);
                    return first();
                }));
            }
            Optional<String> found = signedUp.getFirst().get();
            assertThat(found).isPresent();
            for (Future<Optional<String>> each : signedUp) {
                assertThat(each.get()).isEqualTo(found);
            }
        }
    }
}
