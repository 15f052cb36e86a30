package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log tells of organizations that are held back. */
class EventLanesTest {

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(EventLanes.class);
    private final EventCounts counts = new EventCounts();
    private final EventLanes lanes =
            new EventLanes(new Deaf(), slots -> new EventRoom(200_000, 120_000, 10_000), counts);

    private static final class Deaf implements AuditTaps {

        @Override
        public void sink(AuditSink sink) {}

        @Override
        public int slots() {
            return 1;
        }

        @Override
        public Runnable hold() {
            return () -> {};
        }

        @Override
        public Runnable hold(String organization) {
            return () -> {};
        }

        @Override
        public Runnable listen(AuditListener listener) {
            return () -> {};
        }
    }

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(logged);
    }

    private static EgressFacts facts() {
        return new EgressFacts(
                Instant.EPOCH,
                null,
                new EgressFacts.Target("a.test", null, EgressEvent.Protocol.HTTP),
                new EgressFacts.Outcome(EgressEvent.Verdict.ALLOWED, true, EgressMode.ENFORCE, null),
                List.of());
    }

    private void fill(String organization) {
        long before = holds();
        while (holds() == before) {
            assertThat(lanes.add(organization, facts())).isTrue();
        }
    }

    private long holds() {
        return EventCounts.sum(counts.holds());
    }

    private void storeAll() {
        for (List<EventLanes.Part> parts = lanes.next(0); !parts.isEmpty(); parts = lanes.next(0)) {
            lanes.stored(parts);
        }
    }

    /** A database that is slow holds an organization back and lets it go many times in a second. */
    @Test
    void theLogTellsOnceInAMinuteThatAnOrganizationIsHeldBack() {
        for (int i = 0; i < 50; i++) {
            fill("a");
            storeAll();
        }
        fill("b");

        assertThat(counts.holds()).containsEntry("a", 50L).containsEntry("b", 1L);
        assertThat(logged.list.stream().map(ILoggingEvent::getFormattedMessage))
                .hasSize(3)
                .anyMatch(line -> line.startsWith("events of a"))
                .anyMatch(line -> line.contains("room for events of a again"))
                .anyMatch(line -> line.startsWith("events of b"));
    }

    @Test
    void norDoesItTellMoreOftenThatEverybodyIs() {
        for (int i = 0; i < 50; i++) {
            for (int n = 0; lanes.hasRoom(); n++) {
                lanes.add("o" + n, facts());
            }
            storeAll();
        }

        assertThat(counts.holds()).containsEntry(EventCounts.OTHER, 50L);
        assertThat(logged.list.stream().map(ILoggingEvent::getFormattedMessage))
                .hasSize(2)
                .anyMatch(line -> line.contains("no request is taken until"))
                .anyMatch(line -> line.equals("there is room for events again: requests are taken"));
    }
}
