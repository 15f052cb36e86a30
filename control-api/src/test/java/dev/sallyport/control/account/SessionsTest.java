package dev.sallyport.control.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.crypto.PasswordCost;
import dev.sallyport.control.crypto.Passwords;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions and the passwords with which they begin. */
class SessionsTest {

    private static final String EMAIL = "ada@example.com";
    private static final String ADDRESS = "192.0.2.1";

    @TempDir
    Path folder;

    @Test
    void noSessionBeginsWithAPasswordThatWasChangedMeanwhile() throws Exception {
        try (Store store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
                Passwords passwords = new Passwords(new PasswordCost(64, 1))) {
            Users users = users(store, passwords);
            users.add(new SignUpDraft("Ada", "L", EMAIL, "correct horse"), ADDRESS);
            Sessions sessions = new Sessions(store, Clock.systemUTC());
            String before = sessions.begin(users.signIn(EMAIL, "correct horse", ADDRESS, ""));
            assertThat(sessions.find(before, ADDRESS)).isPresent();

            SignedIn seen = users.signIn(EMAIL, "correct horse", ADDRESS, "");
            users.resetPassword(EMAIL, "another horse");

            assertThatThrownBy(() -> sessions.begin(seen))
                    .isInstanceOfSatisfying(
                            Refusal.class,
                            refusal -> assertThat(refusal.status()).isEqualTo(401));
            assertThat(sessions.find(before, ADDRESS)).isEmpty();
            assertThat(sessions.find(sessions.begin(users.signIn(EMAIL, "another horse", ADDRESS, "")), ADDRESS))
                    .isPresent();
            assertThat(seen.toString()).doesNotContain("argon2");
        }
    }

    private static Users users(Store store, Passwords passwords) {
        Ids ids = new Ids();
        AdminAudit audit = new AdminAudit(store, ids);
        return new Users(
                new Users.Parts(store, ids, audit),
                passwords,
                new ApiKeys(store, ids, audit, Clock.systemUTC()),
                new Users.Outside(new LogMail(), new AccountSettings(true, () -> "http://127.0.0.1")),
                new SignInGuard());
    }
}
