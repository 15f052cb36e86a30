package dev.sallyport.core.secret;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretValue;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log says of delivered secrets that go away. */
class DeliveredLogTest {

    private final DeliveredSecrets delivered = new DeliveredSecrets();
    private final SecretStore store = new SecretStore(
            Map.of(DeliveredSourceFactory.TYPE, delivered),
            new EngineSourceContext(Map.of(), Clock.systemUTC(), call -> {
                throw new AssertionError("no calls expected");
            }),
            new ManualTimers(),
            Runnable::run,
            () -> 0.0,
            System::nanoTime);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(SecretEntry.class);

    @BeforeEach
    void deliver() throws Exception {
        delivered.put("one", "1", SecretValue.of("value-of-one"));
        store.open().resolve(new SecretRef(DeliveredSourceFactory.TYPE, new DeliveredRef("one"), "", true, ""));
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(logged);
    }

    private void remove(String why) {
        delivered.remove("one", why);
        store.delivered(Set.of("one"));
    }

    /** Whoever deleted it knows. */
    @Test
    void aDeletionIsNoWarning() {
        remove("");

        assertThat(logged.list).isEmpty();
    }

    @Test
    void aValueThatWasWithdrawnIsTold() {
        remove("it cannot be decrypted");

        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement()
                .asString()
                .startsWith("secret one: still not available");
    }
}
