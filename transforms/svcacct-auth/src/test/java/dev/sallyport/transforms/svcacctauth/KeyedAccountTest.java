package dev.sallyport.transforms.svcacctauth;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.client.http.javanet.NetHttpTransport;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A key that is deleted while it is being read. */
@Timeout(60)
class KeyedAccountTest {

    private static final NetHttpTransport TRANSPORT = new NetHttpTransport();

    /** A secret that is deleted when its value has been read. */
    private static final class Deleted implements Secret {

        private final SecretValue key = SecretValue.of(
                KeyFiles.REAL.json("https://issuer.example.com/token").toString());
        private volatile boolean available = true;
        private Runnable changed = () -> {};

        @Override
        public String name() {
            return "key";
        }

        @Override
        public boolean available() {
            return available;
        }

        @Override
        public SecretValue value() {
            if (available) {
                available = false;
                Thread teller = Thread.ofPlatform().start(changed);
                while (teller.isAlive() && teller.getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
            }
            return key;
        }

        @Override
        public long version() {
            return available ? 1 : 2;
        }
    }

    @Test
    void itIsNotKept() throws Exception {
        Deleted secret = new Deleted();
        Account.Keyed account = new Account.Keyed(
                new KeySource.InSecret(secret), () -> TRANSPORT, new Account.Purpose(List.of("one"), null));
        List<Thread> told = new CopyOnWriteArrayList<>();
        secret.changed = () -> {
            told.add(Thread.currentThread());
            account.readAnew();
        };

        account.load();
        told.getFirst().join();

        assertThat(account.identity()).isEqualTo(Account.Identity.UNKNOWN);
    }
}
